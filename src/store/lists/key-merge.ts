import type { Database } from '../database/database.ts';
import { packRows } from '../database/dialect.ts';
import { runPrepared } from '../database/prepared.ts';
import { type Direction, FIND_KEYS, type Range, RANGE, type RangeKind } from './ranges.ts';
import type { JobKey } from './search.ts';

/** Keys of one range asked for at once, at most. */
const MOST_AT_ONCE = 500;

/** A key and the kind of the range that it comes from. */
export interface MergedKey extends JobKey {
  kind: RangeKind;
}

interface Stream {
  range: Range;
  /** Read and not given out, in order. */
  keys: MergedKey[];
  /** The last key read, or where to begin. */
  last: JobKey;
  isAtEnd: boolean;
  /** Doubles with every round, so that a range that gives much is asked seldom. */
  wanted: number;
}

/**
 * The runs of many ranges in the order of their time: a merge that reads of each range little more than it
 * gives out, so that a page costs the same however many jobs there are.
 */
export class KeyMerge {
  readonly #db: Database;
  readonly #direction: Direction;
  readonly #until: number;
  readonly #streams: Stream[];

  /**
   * @param start  the first key comes behind it
   * @param until  no key beyond this time: at or after it going down, before it going up
   */
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

  /** The next keys, in order: at least one unless there are none left, and no more than `most`. */
  async next(most: number): Promise<MergedKey[]> {
    await this.#refill();
    const order = this.#direction === 'down' ? laterFirst : earlierFirst;
    // What stands behind the last key read of a range that has more may be preceded by what was not read yet.
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

  /** True where it is known that there are no more keys. */
  get isAtEnd(): boolean {
    return this.#streams.every(({ keys, isAtEnd }) => isAtEnd && keys.length === 0);
  }

  /** Sees to it that every range that has more has a key in hand. */
  async #refill(): Promise<void> {
    const empty = this.#streams.filter(({ keys, isAtEnd }) => keys.length === 0 && !isAtEnd);
    for (const [kind, streams] of Map.groupBy(empty, ({ range }) => range.kind)) {
      await this.#read(kind, streams);
    }
  }

  async #read(kind: RangeKind, streams: readonly Stream[]): Promise<void> {
    const wanted = Math.max(...streams.map((stream) => stream.wanted));
    const rows = streams.map(({ range, last }, n) => ({
      n,
      source_id: range.sourceId,
      status: range.status,
      is_retried: range.isRetried,
      reason: range.reason,
      at: last.at,
      id: last.id,
    }));
    const statement = FIND_KEYS[this.#direction][kind];
    const parameters = [packRows(RANGE, rows), this.#until, wanted];
    const found = await this.#db.read((reader) =>
      runPrepared(reader, this.#db.dialect, statement, parameters),
    );
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

export interface MergeOptions {
  direction: Direction;
  start: JobKey;
  until: number;
  /** How many keys will be wanted, about. */
  expected: number;
}

export function earlierFirst(a: JobKey, b: JobKey): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

export function laterFirst(a: JobKey, b: JobKey): number {
  return earlierFirst(b, a);
}
