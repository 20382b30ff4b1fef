import { isDeepStrictEqual } from 'node:util';
import { JsonFinder } from '#domain/json/find';
import { parsePath, type PathStep } from '#domain/json/path';
import { createMask } from '#domain/runs/masking';
import { describeUntil } from '#domain/team/pause';
import type { TeamPause } from '#store/crons/team-pauses';
import type { Store } from '#store/store';
import type { Doing } from './acting.ts';
import { describeChange } from './resources/resource.ts';
import { TEAM, type TeamSettings } from './resources/team.ts';

const MOST_CHARACTERS = 80;

/** By job; jobs without the field, or with a large payload, are left out. */
interface ShownField {
  path: string;
  values: Record<string, string>;
}

export type { TeamPause };

export function createTeamWork(
  { jobs, teams, teamPauses, clock }: Store,
  doing: Doing,
  maskedFields: readonly string[],
) {
  return {
    /** Null: it is not paused. */
    readTeamPause: (teamId: string) => teamPauses.read(teamId),
    /**
     * Times of crons pass, and no waiting job starts; running ones end. False: it was paused already, and no time was
     * given.
     */
    pauseTeam: async (teamId: string, by: string, until: number | null = null) => {
      const isDone = await teamPauses.pause(teamId, { at: clock.now(), by, until });
      const detail = until !== null && { detail: describeUntil(until) };
      if (isDone) await doing.record(teamId, { action: 'team.paused', ...detail });
      return isDone;
    },
    /** Crons and queues that are paused themselves stay so; the rest continues. False: it was not paused. */
    resumeTeam: async (teamId: string) => {
      const isDone = await teamPauses.resume(teamId, clock.now());
      if (isDone) await doing.record(teamId, { action: 'team.resumed' });
      return isDone;
    },
    readTeamSettings: (teamId: string): Promise<TeamSettings> => teams.readSettings(teamId),
    editTeamSettings: async (teamId: string, change: Partial<TeamSettings>) => {
      const before = await teams.readSettings(teamId);
      const after = { ...before, ...change };
      if (!isDeepStrictEqual(before.maskedFields, after.maskedFields))
        doing.refuseMember('change masked fields');
      await teams.changeSettings(teamId, change);
      if (isDeepStrictEqual(before, after)) return;
      const detail = describeChange(TEAM, before, after);
      await doing.record(teamId, { action: 'team.edited', detail });
    },
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
