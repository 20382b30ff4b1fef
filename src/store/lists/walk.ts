import type { Clock } from '#domain/clock';
import type { Database } from '../database/database.ts';
import { type Cursor, writeCursor } from './cursor.ts';
import { earlierFirst, KeyMerge, laterFirst, type MergedKey } from './key-merge.ts';
import type { Range } from './ranges.ts';
import type { JobKey } from './search.ts';

/** One page of a list in the order of time. Cursors are opaque and go into the address as they are. */
export interface ListPage<Row> {
  rows: Row[];
  /** Null at either end. A page may be short, or even empty, and still have a next one: see `searchedBackTo`. */
  next: string | null;
  previous: string | null;
  /**
   * Set where the search stopped before the end because it had looked at enough (text, or a filter that few fit):
   * everything up to this time was searched; `next` goes on from there.
   */
  searchedBackTo: number | null;
}

/** Where rows must be looked at one by one: how many, and for how long, before a page is given as it is. */
const MOST_LOOKED_AT = 20_000;
const MOST_MS = 80;
/** A search by text is worth waiting for a little longer. */
const MOST_MS_FOR_TEXT = 400;
const CHUNK = 500;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const LAST_TIME = 8_640_000_000_000_000;

/** How a list is gone through. */
export interface Walk<Row> {
  ranges: readonly Range[];
  direction: 'down' | 'up';
  /** Behind it the walk begins; null: at the end of the time that it begins from. */
  start: JobKey | null;
  /** The time that is asked for: from (inclusive), to (exclusive). */
  from?: number | undefined;
  to?: number | undefined;
  limit: number;
  /** No index says it all: rows are looked at one by one, and only so many of them. */
  isSieved: boolean;
  /** What is looked at is long. */
  hasText: boolean;
  /** Of some keys the rows that are wanted, in the order of the keys. */
  pick: (keys: readonly MergedKey[]) => Promise<Row[]>;
}

export interface Found<Row> {
  /** In the order of the walk; one more than the limit where there are more. */
  rows: Row[];
  /** The last key looked at, where the walk stopped before the end. */
  stoppedAt: JobKey | null;
}

/** Goes through ranges until there is a page, or until it has looked at enough. */
export async function walkRanges<Row>(
  { db, clock }: { db: Database; clock: Clock },
  { ranges, direction, start, from = 0, to = LAST_TIME, limit, ...walk }: Walk<Row>,
): Promise<Found<Row>> {
  const { isSieved, hasText, pick } = walk;
  const chunk = isSieved ? Math.max(CHUNK, limit + 1) : limit + 1;
  const isDown = direction === 'down';
  const beginning = isDown ? { at: to, id: FIRST_ID } : { at: from - 1, id: LAST_ID };
  const until = isDown ? from : to;
  const merged = { direction, start: start ?? beginning, until, expected: chunk };
  const keys = new KeyMerge(db, ranges, merged);
  const startedAt = clock.monotonicMs();
  const rows: Row[] = [];
  for (let lookedAt = 0; ;) {
    const next = await keys.next(isSieved ? chunk : limit + 1 - rows.length);
    const last = next.at(-1);
    if (last === undefined) return { rows, stoppedAt: null };
    rows.push(...(await pick(next)));
    if (rows.length > limit || keys.isAtEnd) return { rows, stoppedAt: null };
    lookedAt += next.length;
    const mostMs = hasText ? MOST_MS_FOR_TEXT : MOST_MS;
    const isEnough = lookedAt >= MOST_LOOKED_AT || clock.monotonicMs() - startedAt > mostMs;
    if (isEnough) return { rows, stoppedAt: last };
  }
}

/** Of rows that were read all at once those of a page. */
export function sortFound<Row extends JobKey>(
  rows: readonly Row[],
  { direction, start, limit }: Pick<Walk<Row>, 'direction' | 'start' | 'limit'>,
): Found<Row> {
  const order = direction === 'down' ? laterFirst : earlierFirst;
  const behind = rows.filter((row) => start === null || order(row, start) > 0).toSorted(order);
  return { rows: behind.slice(0, limit + 1), stoppedAt: null };
}

/** @param cursor  where the walk began */
export function pageOf<Row extends JobKey>(
  { rows, stoppedAt }: Found<Row>,
  cursor: Cursor | null,
  limit: number,
): ListPage<Row> {
  const isBack = cursor?.way === 'previous';
  const shown = rows.slice(0, limit);
  const end = rows.length > limit ? shown.at(-1) : stoppedAt;
  const onward = end ? writeCursor({ way: isBack ? 'previous' : 'next', key: end }) : null;
  const back = shown[0] ?? cursor?.key;
  const backward =
    cursor && back ? writeCursor({ way: isBack ? 'next' : 'previous', key: back }) : null;
  return {
    rows: isBack ? shown.toReversed() : shown,
    next: isBack ? backward : onward,
    previous: isBack ? onward : backward,
    searchedBackTo: rows.length > limit ? null : (stoppedAt?.at ?? null),
  };
}
