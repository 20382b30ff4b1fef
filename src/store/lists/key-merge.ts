import type { Database } from '../database/database.ts';
import { packRows } from '../database/dialect.ts';
import { FIRST_ID } from '#domain/ids';
import { LAST_TIME } from '#domain/instant';
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

/** Reads little more of each range than it returns, so a page's cost is bounded. */
export class KeyMerge {
  readonly #db: Database;
  readonly #direction: Direction;
  readonly #until: number;
  readonly #streams: Stream[];

  /** @param until  the last time: inclusive when going down, exclusive when going up */
  constructor(
    db: Database,
    ranges: readonly Range[],
    { direction, start, until, expected }: MergeOptions,
  ) {
    this.#db = db;
    this.#direction = direction;
    this.#until = until;
    const share = Math.ceil((2 * expected) / Math.max(1, ranges.length));
    const wanted = Math.min(MOST_AT_ONCE, Math.max(2, Math.min(share, expected)));
    this.#streams = ranges.map((range) => ({
      range,
      keys: [],
      last: start,
      isAtEnd: false,
      wanted,
    }));
  }

  /** At least one unless none are left, and at most `most`. */
  async next(most: number): Promise<MergedKey[]> {
    await this.#refill();
    const order = this.#direction === 'down' ? laterFirst : earlierFirst;
    // A range that has more may still yield keys before them.
    const frontier = this.#streams
      .filter(({ isAtEnd }) => !isAtEnd)
      .map(({ last }) => last)
      .toSorted(order)[0];
    const isSafe = (key: JobKey) => frontier === undefined || order(key, frontier) <= 0;
    const ready = this.#streams.flatMap((stream) => stream.keys.filter(isSafe)).toSorted(order);
    const given = ready.slice(0, most);
    const end = given.at(-1);
    if (end === undefined) return [];
    for (const stream of this.#streams) {
      stream.keys = stream.keys.filter((key) => order(key, end) > 0);
    }
    return given;
  }

  /** Certainly no keys are left. */
  get isAtEnd(): boolean {
    return this.#streams.every(({ keys, isAtEnd }) => isAtEnd && keys.length === 0);
  }

  async #refill(): Promise<void> {
    const empty = this.#streams.filter(({ keys, isAtEnd }) => keys.length === 0 && !isAtEnd);
    for (const [kind, streams] of Map.groupBy(empty, ({ range }) => range.kind)) {
      await this.#read(kind, streams);
    }
  }

  async #read(kind: RangeKind, streams: readonly Stream[]): Promise<void> {
    const wanted = Math.max(...streams.map((stream) => stream.wanted));
    const rows = streams.map(({ range, last }, n) => rowOfRange(range, n, last));
    const statement = FIND_KEYS[this.#direction][kind];
    const parameters = [packRows(RANGE, rows), this.#until, wanted];
    const found = await this.#db.read(statement, parameters);
    const byStream = Map.groupBy(found, ({ n }) => n);
    const order = this.#direction === 'down' ? laterFirst : earlierFirst;
    for (const [n, stream] of streams.entries()) {
      const keys = (byStream.get(n) ?? []).map(({ at, id }) => ({ kind, at, id })).toSorted(order);
      stream.keys = keys;
      stream.last = keys.at(-1) ?? stream.last;
      stream.isAtEnd = keys.length < wanted;
      stream.wanted = Math.min(MOST_AT_ONCE, 2 * wanted);
    }
  }
}

/** The first key of some ranges: the earliest one, or going down the latest one since `until`. */
export async function firstKey(
  db: Database,
  ranges: readonly Range[],
  direction: Direction,
  until = LAST_TIME,
): Promise<MergedKey | undefined> {
  const start = { at: direction === 'down' ? LAST_TIME : -1, id: FIRST_ID };
  const [key] = await new KeyMerge(db, ranges, { direction, start, until, expected: 1 }).next(1);
  return key;
}

interface MergeOptions {
  direction: Direction;
  start: JobKey;
  until: number;
  expected: number;
}

export function earlierFirst(a: JobKey, b: JobKey): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

export function laterFirst(a: JobKey, b: JobKey): number {
  return earlierFirst(b, a);
}
