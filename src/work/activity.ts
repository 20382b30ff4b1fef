import { ACTIVITY_AREAS, actionsOf, type ActivityArea, isNamedDoer } from '#domain/team/activity';
import { isId } from '#domain/base/ids';
import type { Activity, ActivityFilter } from '#store/activity/activity';
import type { Store } from '#store/store';
import { boundLimit } from './list-limit.ts';

export type { Activity };

export interface ActivityAsked extends Omit<ActivityFilter, 'actions'> {
  area?: ActivityArea;
  /** Also sign-ins, tokens and secrets, for people who manage members. */
  withAccess: boolean;
}

const MOST_OF_ONE = 5;

/** §5.10. */
export function createActivityWork({ activity }: Store) {
  return {
    /** Newest first. An unknown id finds nothing. */
    listActivity: async (teamId: string, { area, withAccess, ...filter }: ActivityAsked) => {
      const { actorId, subjectId, before, after } = filter;
      const isKnown = actorId === undefined || isNamedDoer(actorId) || isId(actorId);
      const ids = [subjectId, before, after];
      if (!isKnown || ids.some((id) => id !== undefined && !isId(id))) return [];
      const areas = (area ? [area] : AREAS).filter((each) => withAccess || each !== 'access');
      if (areas.length === 0) return [];
      // Without a filter, actions of a newer version are found too.
      const actions = areas.length === AREAS.length ? undefined : actionsOf(areas);
      const limit = boundLimit(filter.limit);
      return activity.list(teamId, { ...filter, ...(actions && { actions }), limit });
    },
    /** Newest first. */
    listActivityOf: async (teamId: string, subjectId: string) =>
      isId(subjectId) ? activity.list(teamId, { subjectId, limit: MOST_OF_ONE }) : [],
  };
}

const AREAS = Object.keys(ACTIVITY_AREAS) as ActivityArea[];
