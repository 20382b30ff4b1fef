import { ACTIVITY_AREAS, actionsOf, type ActivityArea, type Doer } from '#domain/activity';
import { isId } from '#domain/ids';
import type { Log } from '#domain/log';
import type { Activity, ActivityFilter } from '#store/activity/activity';
import type { Store } from '#store/store';
import { DEEDS, type Doing, type Watch } from './deeds.ts';
import { boundLimit } from './list-limit.ts';
import type { Work } from './work.ts';

export type { Activity };

export interface ActivityAsked extends Omit<ActivityFilter, 'actions'> {
  area?: ActivityArea;
  /** True: also sign-ins, tokens and secrets, which only members who manage the team's members may see. */
  withAccess: boolean;
}

/** The actions of people in a team (§5.10). */
export interface ActivityWork {
  /** Newest first. Ids may be any text; an unknown one finds nothing. */
  listActivity(teamId: string, asked: ActivityAsked): Promise<Activity[]>;
  /** The last few actions on one thing, newest first, for its own page. */
  listActivityOf(teamId: string, subjectId: string): Promise<Activity[]>;
}

const MOST_OF_ONE = 5;

export function createActivityWork({ activity }: Store): ActivityWork {
  return {
    listActivity: async (teamId, { area, withAccess, ...filter }) => {
      const { actorId, subjectId, before, after } = filter;
      const ids = [actorId === 'command-line' ? undefined : actorId, subjectId, before, after];
      if (ids.some((id) => id !== undefined && !isId(id))) return [];
      const areas = (area ? [area] : AREAS).filter((each) => withAccess || each !== 'access');
      if (areas.length === 0) return [];
      // With all areas there is no filter, so that actions of a newer version are found too.
      const actions = areas.length === AREAS.length ? undefined : actionsOf(areas);
      const limit = boundLimit(filter.limit);
      return activity.list(teamId, { ...filter, ...(actions && { actions }), limit });
    },
    listActivityOf: async (teamId, subjectId) =>
      isId(subjectId) ? activity.list(teamId, { subjectId, limit: MOST_OF_ONE }) : [],
  };
}

const AREAS = Object.keys(ACTIVITY_AREAS) as ActivityArea[];

/**
 * The same work on behalf of a person: every change is recorded as their activity right after it. If the record can't
 * be written, the change stays, and the log says so.
 */
export function workAs(
  work: Work,
  doer: Doer,
  { store, log }: { store: Store; log: Pick<Log, 'error'> },
): Work {
  const record = async (name: string, teamId: string, deed: ReturnType<Told>): Promise<void> => {
    try {
      const deeds = [deed ?? []].flat();
      if (deeds.length > 0) await store.activity.record(teamId, doer, deeds, store.clock.now());
    } catch (error) {
      log.error('activity.not-recorded', { what: name, error: (error as Error).message });
    }
  };
  const recorded = Object.entries(DEEDS).map(([name, watch]) => {
    const act = work[name as Doing] as Act;
    const recording: Act = async (teamId, ...given) => {
      const tell = await (watch as AnyWatch)(work, teamId, ...given);
      const came = await act(teamId, ...given);
      await record(name, teamId, tell(came));
      return came;
    };
    return [name, recording] as const;
  });
  return { ...work, ...Object.fromEntries(recorded) };
}

type Act = (teamId: string, ...given: unknown[]) => Promise<unknown>;
type Told = (
  came: unknown,
) => Awaited<ReturnType<Watch<Doing>>> extends (came: never) => infer Deed ? Deed : never;
type AnyWatch = (work: Work, teamId: string, ...given: unknown[]) => Promise<Told>;
