import { ACTIVITY_AREAS, actionsOf, type ActivityArea } from '#domain/activity';
import { isId } from '#domain/ids';
import type { Activity, ActivityFilter } from '#store/activity/activity';
import type { Store } from '#store/store';
import { boundLimit } from './list-limit.ts';

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
