import { ACTIVITY_AREAS, type ActivityArea } from '#domain/activity';
import { FilterReader, type ReadFilters } from '#domain/read-filters';
import { readInstant, timeSentence } from '#domain/run-search';
import { readIdCursor } from '../lists/cut-page.ts';
import type { ActivityAsked } from '../services.ts';

export type ActivitySearch = Omit<ActivityAsked, 'limit' | 'withAccess'>;

export const activityFilters = ['area', 'by', 'from', 'to'] as const;

/** `area`, `by` (a user's id, or `command-line`), `from`, `to`, and cursors. */
export function readActivitySearch(params: URLSearchParams): ReadFilters<ActivitySearch> {
  const filters = new FilterReader(params);
  const areas = Object.keys(ACTIVITY_AREAS) as ActivityArea[];
  const area = filters.choice('area', areas);
  const actorId = filters.text('by');
  const from = filters.read('from', readInstant, timeSentence);
  const to = filters.read('to', readInstant, timeSentence);
  return filters.finish({
    ...(area && { area }),
    ...(actorId && { actorId }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...readIdCursor(params),
  });
}
