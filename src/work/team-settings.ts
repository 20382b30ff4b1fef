import { parsePath, type PathStep, placeInList } from '#domain/json/path';
import { type JsonNode, parseJsonText } from '#domain/json/text';
import { createMask } from '#domain/masking';
import type { Store } from '#store/store';
import type { TeamSettings } from './resources/team.ts';

const MOST_CHARACTERS = 80;

/** By job; jobs without the field, or with a large payload, are left out. */
export interface ShownField {
  path: string;
  values: Record<string, string>;
}

export function createTeamSettingsWork(
  { shownFields, teams }: Store,
  maskedFields: readonly string[],
) {
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
      jobs: readonly { id: string }[],
    ): Promise<ShownField | null> => {
      const { shownField: path } = await teams.readSettings(teamId);
      const steps = path === null ? null : parsePath(path);
      if (path === null || steps === null) return null;
      const ids = jobs.map(({ id }) => id);
      const payloads = await shownFields.readSmallPayloads(teamId, ids);
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
  const root = parseJsonText(payload);
  if (typeof root === 'string') return null;
  let at: JsonNode | undefined = root;
  for (const step of steps) {
    if (at === undefined) return null;
    at = memberOf(at, step);
  }
  if (at === undefined) return null;
  const text = at.kind === 'string' ? at.value : at.raw;
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function memberOf(node: JsonNode, step: PathStep): JsonNode | undefined {
  if (node.kind === 'object') return node.entries.get(String(step));
  const place = placeInList(step);
  return node.kind === 'array' && place !== null ? node.items[place] : undefined;
}
