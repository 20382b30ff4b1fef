/**
 * The differences between the two databases that matter to a query.
 *
 * A batch of rows goes to either as one JSON parameter, so that a statement over any number of rows has one text, is
 * prepared once, and is one round trip.
 */
import type { RawBuilder } from 'kysely';
import { storableText } from './storable-text.ts';

export type DialectName = 'sqlite' | 'postgres';

/** `json`: a text that is JSON, as `JSON.stringify` writes it; never empty. `place`: see `Place`. */
export type FieldType = 'id' | 'ids' | 'text' | 'json' | 'int' | 'bigint' | 'bytes' | 'place';

/**
 * The position of a row in its table, Postgres' `ctid` as text or SQLite's `rowid`. Reading a row by it needs no index.
 * It changes when the row is updated or the table rewritten (`vacuum full`), and may then be another row's.
 */
export type Place = string | number;

export type Fields = Readonly<Record<string, FieldType>>;
export type RowOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends 'bytes'
    ? Uint8Array | null
    : F[K] extends 'int' | 'bigint'
      ? number | null
      : F[K] extends 'ids'
        ? readonly string[] | null
        : F[K] extends 'place'
          ? Place | null
          : string | null;
};

/**
 * The parts of statements that differ between the two databases. Each has one name here; the texts are in
 * `store/sql`.
 */
export interface Dialect {
  readonly name: DialectName;
  /** How many batches of accepted jobs a process writes at the same time. A SQLite file has one writer. */
  readonly writers: number;
  /** Whether deleted rows stay in tables and indexes until a vacuum may remove them, which old snapshots prevent. */
  readonly keepsDeadRows: boolean;
  /** The nth parameter, with a type where the statement itself does not determine it. */
  readonly $: (n: number, type?: FieldType) => string;
  /** A table expression named `given`, for a `from` clause, that unpacks the rows of `packRows`. */
  readonly rows: (fields: Fields, parameter: number) => string;
  /**
   * The same for rows that `packColumns` has packed by columns. Statements that end many runs have many values per row,
   * and Postgres unpacks arrays faster than JSON. The parameters begin with number `first` and must be the last ones.
   */
  readonly columns: (fields: Fields, first: number) => string;
  readonly packColumns: <F extends Fields>(fields: F, rows: readonly RowOf<F>[]) => unknown[];
  /** Turns an unpacked `bytes` field back into bytes. */
  readonly bytesOf: (column: string) => string;
  readonly least: (...values: readonly string[]) => string;
  readonly greatest: (...values: readonly string[]) => string;
  /** Conditions that a text contains another text, and that bytes contain a text. */
  readonly contains: (whole: RawBuilder<unknown>, text: RawBuilder<unknown>) => RawBuilder<boolean>;
  readonly containsBytes: (whole: RawBuilder<unknown>, text: string) => RawBuilder<boolean>;
  /** The part of a text before a mark, or the whole text where it has none. */
  readonly before: (text: string, mark: string) => string;
  /** A locking clause. SQLite has one writer and needs none. */
  readonly lock: (clause: string) => string;
  /**
   * Part of a `from` clause that limits the wait for locked rows to a short time, for this statement and the rest of
   * its transaction. It must be evaluated before the first of those rows is locked. Between nodes a row is locked only
   * until a commit; longer locks come from a `psql` session or a report.
   */
  readonly limitLockWaits: string;
  /**
   * A column, as text, in a condition for which the planner must not use an index. Statements that end many runs look
   * each up by its key. Otherwise SQLite would read all running ones as soon as it has statistics, and Postgres would
   * read their whole index, which is small but full of entries of runs that have ended since.
   */
  readonly withoutIndex: (column: string) => string;
  /**
   * The condition that a row of a table has the key of another row, in a statement that joins both. It makes a nested
   * loop with an index look-up the only plan, for any statistics.
   *
   * @param key the key's columns; by default the team and the id
   */
  readonly hasKeyOf: (table: string, other: string, key?: readonly string[]) => string;
  /**
   * Deletes the rows of a table whose keys a batch names. The fields are the key's columns, in their order.
   *
   * @param lockWaits  see `limitLockWaits`
   */
  readonly deleteGiven: (
    table: string,
    key: Fields,
    parameter: number,
    lockWaits?: 'limited',
  ) => string;
  /**
   * The condition that a column is one of some ids. They are one parameter, so the statement has one text for any
   * number.
   */
  readonly isAmong: (column: string, ids: readonly string[]) => RawBuilder<boolean>;
  /** The condition that a row's `id` is in a selection, without rows that others have locked. */
  readonly isAmongFree: (selection: string) => string;
  /** The condition that a row is among the first `limit` rows of a table that fulfil a condition, in any order. */
  readonly isAmongFew: (table: string, condition: string, limit: string) => string;
  /** Part of a `from` clause that joins to each row the rows of a limited subquery (a lateral join). */
  readonly joinPicked: (picked: Picked) => string;
  /**
   * Part of a `from` clause that joins all rows `j` of a table under a condition. It must be the clause's end, and a
   * `limit` must follow.
   */
  readonly joinUpTo: (rows: RowsUpTo) => string;
  /** A condition on ended jobs with a known time of ending, so that only the partitions of those times are searched. */
  readonly endedWithin: (jobs: string, span: Span) => RawBuilder<boolean>;
  /** The table of the successful jobs that retention deletes row by row. */
  readonly unpartitioned: string;
  /**
   * Selects the ids of a team's jobs whose URL may lie between two texts. Parameters: 1 team, 2 from, 3 to, 4 the most
   */
  readonly findByUrl: string;
  /** The last number that a table has given to a row (`rowNumber` in tables/table.ts`). */
  readonly lastNumberOf: (table: string) => string;
  /** See `retention.giveBackPages`. */
  readonly giveBackPages: (run: RunText, most: number) => Promise<number>;
}

export interface Span {
  from: number;
  to: number;
}

export type RunText = (text: string) => Promise<unknown[]>;

export interface Picked {
  table: string;
  as: string;
  columns: readonly string[];
  /** Gives the subquery, which selects the given columns of `x`. */
  pick: (columns: string) => string;
}

export interface RowsUpTo {
  table: string;
  columns: string;
  condition: string;
  order?: string;
  limit: string;
}

/** Packs rows into the one JSON parameter that `Dialect.rows` unpacks. Texts are made storable. */
export function packRows<F extends Fields>(fields: F, rows: readonly RowOf<F>[]): string {
  const packed = rows.map((row) => packRow(fields, row));
  const text = JSON.stringify(packed);
  // JSON escapes exactly the characters that can't be stored. An escaped backslash before a `u` only costs a needless
  // second pass.
  return /\\u(?:0000|d)/.test(text) ? JSON.stringify(packed, makeStorable) : text;
}

function packRow<F extends Fields>(fields: F, row: RowOf<F>): Record<string, unknown> {
  const packed: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value: unknown = row[name];
    packed[name] = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  }
  return packed;
}

function makeStorable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value;
}

/** Ids that a statement unpacks as `given.id`. */
export const IDS = { id: 'id' } as const satisfies Fields;

export function packIds(ids: readonly string[]): string {
  return packRows(
    IDS,
    ids.map((id) => ({ id })),
  );
}

/** Crons and queues that a statement unpacks as `given.team_id` and `given.source_id`. */
export const SOURCES = { team_id: 'id', source_id: 'id' } as const satisfies Fields;
