/** The search of the list of crons, as it stands in the address. */
import { FilterReader, type ReadFilters } from '#domain/read-filters';
import type { CronSearch } from '../services.ts';
import { readTagFilter } from './TagFilter.tsx';

const statuses = ['active', 'paused', 'failed', 'healthy'] as const;

/** What the address asks for; empty where it asks for nothing. */
export function readCronFilter(params: URLSearchParams): ReadFilters<CronSearch> {
  const filters = new FilterReader(params);
  const text = filters.text('q').trim();
  const status = filters.choice('status', statuses);
  return filters.finish({
    ...(text === '' ? {} : { text }),
    ...(status ? { status } : {}),
    ...readTagFilter(filters),
  });
}
