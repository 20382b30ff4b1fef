/** Filters of the list of runs that a team keeps under a name. */

import { readRunSearch, RUN_FILTERS } from './run-search.ts';

export const MOST_RUN_FILTERS = 50;
export const RUN_FILTER_CHARACTERS = 64;
/** Longer ones are for a search that is made once. */
const MOST_QUERY_CHARACTERS = 4_096;

/**
 * What of an address is kept: its filters in one order, and no times, which would be past when they are asked for
 * again. Null where that is nothing, too long, or can't be read.
 */
export function readKeptQuery(params: URLSearchParams): string | null {
  const kept = new URLSearchParams();
  for (const name of RUN_FILTERS) {
    for (const value of params.getAll(name)) if (value !== '') kept.append(name, value);
  }
  const query = kept.toString();
  const isKept = query !== '' && query.length <= MOST_QUERY_CHARACTERS;
  return isKept && readRunSearch(kept).faults === null ? query : null;
}
