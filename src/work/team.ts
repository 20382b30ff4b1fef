import { JsonFinder } from '#domain/json/find';
import { parsePath, type PathStep } from '#domain/json/path';
import { createMask } from '#domain/runs/masking';
import type { Store } from '#store/store';
import type { TeamSettings } from './resources/team.ts';

const MOST_CHARACTERS = 80;

/** By job; jobs without the field, or with a large payload, are left out. */
interface ShownField {
  path: string;
  values: Record<string, string>;
}

export function createTeamSettingsWork({ jobs, teams }: Store, maskedFields: readonly string[]) {
  return {
    readTeamSettings: (teamId: string): Promise<TeamSettings> => teams.readSettings(teamId),
    editTeamSettings: (teamId: string, change: Partial<TeamSettings>) =>
      teams.changeSettings(teamId, change),
    /** With the names of the team and of the operator. */
    readMask: async (teamId: string) =>
      createMask([...maskedFields, ...(await teams.readSettings(teamId)).maskedFields]),
    /** Null: the team shows none. */
    readShownField: async (
      teamId: string,
      shown: readonly { id: string }[],
    ): Promise<ShownField | null> => {
      const { shownField: path } = await teams.readSettings(teamId);
      const steps = path === null ? null : parsePath(path);
      if (path === null || steps === null) return null;
      const ids = shown.map(({ id }) => id);
      const payloads = await jobs.readSmallPayloads(teamId, ids);
      const values = [...payloads].flatMap(([id, payload]) => {
        const value = findText(payload, steps);
        return value === null ? [] : [[id, value] as const];
      });
      return { path, values: Object.fromEntries(values) };
    },
  };
}

/** Null if the payload has no such field. */
function findText(payload: string, steps: readonly PathStep[]): string | null {
  const finder = new JsonFinder([steps]);
  finder.take(Buffer.from(payload));
  const findings = finder.finish();
  if ('fault' in findings) return null;
  const [found] = findings.values;
  if (found?.kind !== 'found') return null;
  const text = found.text.startsWith('"') ? (JSON.parse(found.text) as string) : found.text;
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
