import type { Clock } from '#domain/base/clock';
import type { Database } from '../database/database.ts';
import { type Cursor, readCursor, writeCursor } from './cursor.ts';
import { earlierFirst, laterFirst, mergeKeys, type MergedKey } from './key-merge.ts';
import type { Direction, Range } from './ranges.ts';
import type { JobKey } from './search.ts';
import { LAST_TIME } from '#domain/base/instant';
import { FIRST_ID, LAST_ID } from '#domain/base/ids';

export interface ListContext {
  db: Database;
  clock: Clock;
}

/** Cursors go into the address unchanged. */
export interface ListPage<Row> {
  rows: Row[];
  /** Null at the ends. A short or empty page may have a next one: see `searchedBackTo`. */
  next: string | null;
  previous: string | null;
  /** Set if the search stopped early, after enough rows: all rows back to this time were examined. */
  searchedBackTo: number | null;
}

export const NO_PAGE: ListPage<never> = {
  rows: [],
  next: null,
  previous: null,
  searchedBackTo: null,
};

/** A text takes two to three times as long per row. A page costs less than a tenth of a second of processor time. */
const MOST = { rows: 20_000, ms: 80 };
const MOST_FOR_TEXT = { rows: 3_000, ms: 400 };
const CHUNK = 500;

export interface PageAsked {
  cursor?: string | undefined;
  limit: number;
}

export interface List<Row> {
  ranges: readonly Range[];
  isEarliestFirst?: boolean;
  /** From inclusive, to exclusive. */
  from?: number | undefined;
  to?: number | undefined;
  /** No index covers the whole search, so rows are examined one by one. */
  isFiltered: boolean;
  /** The examined values are long, so the search may take longer. */
  hasText: boolean;
  pick: (keys: readonly MergedKey[]) => Promise<Row[]>;
}

interface Way {
  direction: Direction;
  /** Null: at the end of the requested time. */
  start: JobKey | null;
  limit: number;
}

interface Found<Row> {
  rows: Row[];
  stoppedAt: JobKey | null;
}

/**
 * One index step per range, and the rows of the page, for any number of runs.
 * @param list how to walk; or its rows, if they are few
 */
export async function readPage<Row extends JobKey>(
  context: ListContext,
  list: List<Row> | { rows: readonly Row[]; isEarliestFirst?: boolean },
  asked: PageAsked,
): Promise<ListPage<Row>> {
  const cursor = readCursor(asked.cursor);
  const isUp = (list.isEarliestFirst ?? false) !== (cursor?.way === 'previous');
  const way: Way = {
    direction: isUp ? 'up' : 'down',
    start: cursor?.key ?? null,
    limit: asked.limit,
  };
  const found =
    'rows' in list
      ? sortFound(list.rows, way)
      : await walkRanges<Row>(context, { ...list, ...way });
  return pageOf(found, cursor, asked.limit);
}

async function walkRanges<Row extends JobKey>(
  { db, clock }: ListContext,
  { ranges, direction, start, from = 0, to = LAST_TIME, limit, ...walk }: List<Row> & Way,
): Promise<Found<Row>> {
  const { isFiltered, hasText, pick } = walk;
  const chunk = isFiltered ? Math.max(CHUNK, limit + 1) : limit + 1;
  const isDown = direction === 'down';
  const beginning = isDown ? { at: to - 1, id: LAST_ID } : { at: from, id: FIRST_ID };
  const until = isDown ? from : to;
  const merged = { direction, start: start ?? beginning, until, expected: chunk };
  const keys = mergeKeys(db, ranges, merged);
  const most = hasText ? MOST_FOR_TEXT : MOST;
  const startedAt = clock.monotonicMs();
  const rows: Row[] = [];
  for (let lookedAt = 0; ;) {
    const next = await keys.next(isFiltered ? chunk : limit + 1 - rows.length);
    const last = next.at(-1);
    if (last === undefined) return { rows, stoppedAt: null };
    rows.push(...inOrder(next, await pick(next)));
    if (rows.length > limit || keys.isAtEnd()) return { rows, stoppedAt: null };
    lookedAt += next.length;
    // Only long searches are cut, so a busy database doesn't shorten lists.
    const isLong = isFiltered && lookedAt >= CHUNK;
    const isLate = isLong && clock.monotonicMs() - startedAt > most.ms;
    const isEnough = isLate || lookedAt >= most.rows;
    if (isEnough) return { rows, stoppedAt: last };
  }
}

/**
 * Leaves out rows whose time has changed: they have another place now. A row that ended meanwhile can be in two ranges.
 */
function inOrder<Row extends JobKey>(keys: readonly JobKey[], rows: readonly Row[]): Row[] {
  const left = new Map(rows.map((row) => [row.id, row]));
  return keys.flatMap(({ id, at }) => {
    const row = left.get(id);
    left.delete(id);
    return row?.at === at ? [row] : [];
  });
}

/** For rows that were read all at once. */
function sortFound<Row extends JobKey>(
  rows: readonly Row[],
  { direction, start, limit }: Way,
): Found<Row> {
  const order = direction === 'down' ? laterFirst : earlierFirst;
  const behind = rows.filter((row) => start === null || order(row, start) > 0).toSorted(order);
  return { rows: behind.slice(0, limit + 1), stoppedAt: null };
}

function pageOf<Row extends JobKey>(
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
