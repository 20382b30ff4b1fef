import { isId } from '#domain/base/ids';
import { LAST_TIME } from '#domain/base/instant';
import { mostFilterCharacters } from '#domain/runs/read-filters';
import type { RunSearch } from '#domain/runs/run-search';
import type { JobSearch } from '#store/lists/lists';

const IDS = new Set(['queueId', 'cronId', 'id']);

/** Null if it can find nothing. Blank texts are no conditions. */
export function readSearch<Search extends Partial<RunSearch> | JobSearch>(
  search: Search,
): Search | null {
  const inTime: object = { ...search, from: asTime(search.from), to: asTime(search.to) };
  const given = Object.entries(inTime).filter(
    ([, value]) => value !== undefined && value !== '' && value !== false,
  );
  const isPossible = given.every(([name, value]) => {
    if (typeof value !== 'string') return true;
    return IDS.has(name) ? isId(value) : value.length <= mostFilterCharacters;
  });
  return isPossible ? (Object.fromEntries(given) as unknown as Search) : null;
}

/** Within a date's range; else undefined. */
export function asTime(ms: number | undefined): number | undefined {
  if (ms === undefined || !Number.isFinite(ms)) return undefined;
  return Math.max(0, Math.min(Math.trunc(ms), LAST_TIME));
}
