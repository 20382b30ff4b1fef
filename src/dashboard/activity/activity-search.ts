import { ACTIVITY_AREAS, type ActivityArea } from '#domain/team/activity';
import { FilterReader, type ReadFilters } from '#domain/runs/read-filters';
import { readInstant, timeSentence } from '#domain/runs/run-search';
import { readIdCursor } from '../lists/cut-page.ts';
import type { ActivityAsked } from '../services.ts';

type ActivitySearch = Omit<ActivityAsked, 'limit' | 'withAccess'>;

/** `area`, `by` (a user's id, or `command-line`), `from`, `to`, and cursors. */
export function readActivitySearch(params: URLSearchParams): ReadFilters<ActivitySearch> {
  const filters = new FilterReader(params);
  return filters.finish({
    area: filters.choice('area', Object.keys(ACTIVITY_AREAS) as ActivityArea[]),
    actorId: filters.text('by') || undefined,
    from: filters.read('from', readInstant, timeSentence),
    to: filters.read('to', readInstant, timeSentence),
    ...readIdCursor(params),
  });
}
