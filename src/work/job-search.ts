import { isId } from '#domain/ids';
import { mostFilterCharacters } from '#domain/read-filters';
import type { JobSearch as StoredSearch } from '#store/lists/lists';
import type { RunSearch } from '#domain/run-search';
import type { JobSearch } from './job-contract.ts';

const LAST_TIME = 8_640_000_000_000_000;

/** Null if it can find nothing. Blank texts are no conditions. */
export function readSearch(search: JobSearch): StoredSearch | null {
  const { queueId, id, urlPrefix, target, payloadText, responseText, words } = search;
  const isPossible =
    areShort([urlPrefix, target, payloadText, responseText, words]) && areIds([queueId, id]);
  return isPossible ? keepGiven(search) : null;
}

/** Null if it can find nothing. */
export function readRunSearch(search: RunSearch): RunSearch | null {
  const { queueId, cronId, id, tag, urlPrefix, host, text, words } = search;
  const isPossible = areShort([tag, urlPrefix, host, text, words]) && areIds([queueId, cronId, id]);
  return isPossible ? keepGiven(search) : null;
}

function areShort(texts: readonly (string | undefined)[]): boolean {
  return texts.every((text) => text === undefined || text.length <= mostFilterCharacters);
}

function areIds(texts: readonly (string | undefined)[]): boolean {
  return texts.every((text) => text === undefined || text === '' || isId(text));
}

/** Within a date's range; else undefined. */
export function asTime(ms: number | undefined): number | undefined {
  if (ms === undefined || !Number.isFinite(ms)) return undefined;
  return Math.max(0, Math.min(Math.trunc(ms), LAST_TIME));
}

function keepGiven<Search extends { from?: number; to?: number }>(search: Search): Search {
  const inTime = { ...search, from: asTime(search.from), to: asTime(search.to) };
  const given = Object.entries<unknown>(inTime).filter(
    ([, value]) => value !== undefined && value !== '' && value !== false,
  );
  return Object.fromEntries(given) as unknown as Search;
}
