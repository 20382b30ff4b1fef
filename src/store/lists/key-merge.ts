import type { Database } from '../database/database.ts';
import { packRows } from '../database/dialect.ts';
import { FIRST_ID } from '#domain/base/ids';
import { LAST_TIME } from '#domain/base/instant';
import {
  type Direction,
  FIND_KEYS,
  type Range,
  RANGE,
  type RangeKind,
  rowOfRange,
} from './ranges.ts';
import type { JobKey } from './search.ts';

const MOST_AT_ONCE = 500;

export interface MergedKey extends JobKey {
  kind: RangeKind;
}

interface Stream {
  range: Range;
  keys: MergedKey[];
  last: JobKey;
  isAtEnd: boolean;
  /** Doubles with every round. */
  wanted: number;
}

interface MergeOptions {
  direction: Direction;
  start: JobKey;
  /** The last time: inclusive when going down, exclusive when going up. */
  until: number;
  expected: number;
}

/** Reads little more of each range than it returns, so a page's cost is bounded. */
export function mergeKeys(
  db: Database,
  ranges: readonly Range[],
  { direction, start, until, expected }: MergeOptions,
) {
  const order = direction === 'down' ? laterFirst : earlierFirst;
  const share = Math.ceil((2 * expected) / Math.max(1, ranges.length));
  const wanted = Math.min(MOST_AT_ONCE, Math.max(2, Math.min(share, expected)));
  const streams = ranges.map((range): Stream => {
    return { range, keys: [], last: start, isAtEnd: false, wanted };
  });
  const read = async (kind: RangeKind, some: readonly Stream[]) => {
    const most = Math.max(...some.map((stream) => stream.wanted));
    const rows = some.map(({ range, last }, n) => rowOfRange(range, n, last));
    const found = await db.read(FIND_KEYS[direction][kind], [packRows(RANGE, rows), until, most]);
    const byStream = Map.groupBy(found, ({ n }) => n);
    for (const [n, stream] of some.entries()) {
      const keys = (byStream.get(n) ?? []).map(({ at, id }) => ({ kind, at, id })).toSorted(order);
      stream.keys = keys;
      stream.last = keys.at(-1) ?? stream.last;
      stream.isAtEnd = keys.length < most;
      stream.wanted = Math.min(MOST_AT_ONCE, 2 * most);
    }
  };
  return {
    /** At least one unless none are left, and at most `most`. */
    async next(most: number): Promise<MergedKey[]> {
      const empty = streams.filter(({ keys, isAtEnd }) => keys.length === 0 && !isAtEnd);
      for (const [kind, some] of Map.groupBy(empty, ({ range }) => range.kind))
        await read(kind, some);
      // A range that has more may still yield keys before them.
      const frontier = streams
        .filter(({ isAtEnd }) => !isAtEnd)
        .map(({ last }) => last)
        .toSorted(order)[0];
      const isSafe = (key: JobKey) => frontier === undefined || order(key, frontier) <= 0;
      const ready = streams.flatMap((stream) => stream.keys.filter(isSafe)).toSorted(order);
      const given = ready.slice(0, most);
      const end = given.at(-1);
      if (end === undefined) return [];
      for (const stream of streams) {
        stream.keys = stream.keys.filter((key) => order(key, end) > 0);
      }
      return given;
    },
    /** Certainly no keys are left. */
    isAtEnd: () => streams.every(({ keys, isAtEnd }) => isAtEnd && keys.length === 0),
  };
}

/** The first key of some ranges: the earliest one, or going down the latest one since `until`. */
export async function firstKey(
  db: Database,
  ranges: readonly Range[],
  direction: Direction,
  until = LAST_TIME,
): Promise<MergedKey | undefined> {
  const start = { at: direction === 'down' ? LAST_TIME : -1, id: FIRST_ID };
  const [key] = await mergeKeys(db, ranges, { direction, start, until, expected: 1 }).next(1);
  return key;
}

export function earlierFirst(a: JobKey, b: JobKey): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

export function laterFirst(a: JobKey, b: JobKey): number {
  return earlierFirst(b, a);
}
