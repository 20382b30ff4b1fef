/** Reads the search of the list of crons from the address. */
import { FilterReader, type ReadFilters } from '#domain/read-filters';
import type { CronSearch } from '../services.ts';
import { readTagFilter } from './TagFilter.tsx';

const statuses = ['active', 'paused', 'ended', 'failed', 'healthy'] as const;

/** The search that the address asks for; empty if it asks for nothing. */
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
