import { JsonFinder } from '#domain/json/find';
import { parsePath, type PathStep } from '#domain/json/path';
import { createMask } from '#domain/runs/masking';
import type { TeamPause } from '#store/crons/team-pauses';
import type { Store } from '#store/store';
import type { TeamSettings } from './resources/team.ts';

const MOST_CHARACTERS = 80;

/** By job; jobs without the field, or with a large payload, are left out. */
interface ShownField {
  path: string;
  values: Record<string, string>;
}

export type { TeamPause };

export function createTeamWork(
  { jobs, teams, teamPauses, clock }: Store,
  maskedFields: readonly string[],
) {
  return {
    /** Null: it is not paused. */
    readTeamPause: (teamId: string) => teamPauses.read(teamId),
    /**
     * Times of crons pass, and no waiting job starts; running ones end. False: it was paused already, and no time was
     * given.
     */
    pauseTeam: (teamId: string, by: string, until: number | null = null) =>
      teamPauses.pause(teamId, { at: clock.now(), by, until }),
    /** Crons and queues that are paused themselves stay so; the rest continues. False: it was not paused. */
    resumeTeam: (teamId: string) => teamPauses.resume(teamId, clock.now()),
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
