/** Reads the search of the list of queues from the address. */
import { FilterReader, type ReadFilters } from '#domain/read-filters';
import type { QueueSearch } from '../services.ts';
import { readTagFilter } from './TagFilter.tsx';

const statuses = ['failing', 'healthy', 'paused'] as const;

/** The search that the address asks for; empty if it asks for nothing. */
export function readQueueFilter(params: URLSearchParams): ReadFilters<QueueSearch> {
  const filters = new FilterReader(params);
  const text = filters.text('q').trim();
  const status = filters.choice('status', statuses);
  return filters.finish({
    ...(text === '' ? {} : { text }),
    ...(status ? { status } : {}),
    ...readTagFilter(filters),
  });
}
