import { isId } from '#domain/ids';
import type { JobSearch as StoredSearch } from '#store/lists/lists';
import type { JobSearch } from './job-contract.ts';

/** Texts longer than this find nothing: no URL or page needs them. */
const MOST_CHARACTERS = 2_048;
const LAST_TIME = 8_640_000_000_000_000;

/** A search as the store takes it; null where it can't find anything. Blank texts narrow nothing. */
export function readSearch(search: JobSearch): StoredSearch | null {
  const { queueId, id, urlPrefix, target, payloadText, responseText } = search;
  const texts = { urlPrefix, target, payloadText, responseText };
  const ids = { queueId, id };
  for (const text of Object.values(texts)) {
    if (text !== undefined && text.length > MOST_CHARACTERS) return null;
  }
  for (const each of Object.values(ids)) {
    if (each !== undefined && each !== '' && !isId(each)) return null;
  }
  return keepGiven({
    ...search,
    ...texts,
    ...ids,
    from: asTime(search.from),
    to: asTime(search.to),
  });
}

/** Whole milliseconds within what a date can hold; undefined where there is none. */
export function asTime(ms: number | undefined): number | undefined {
  if (ms === undefined || !Number.isFinite(ms)) return undefined;
  return Math.max(0, Math.min(Math.trunc(ms), LAST_TIME));
}

function keepGiven(search: Record<string, unknown>): StoredSearch {
  const given = Object.entries(search).filter(
    ([, value]) => value !== undefined && value !== '' && value !== false,
  );
  return Object.fromEntries(given) as unknown as StoredSearch;
}
