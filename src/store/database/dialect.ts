/**
 * The differences between the two databases that a query has to know.
 *
 * A batch of rows goes to either as one JSON parameter, so that a statement over any number of rows has
 * one text, is prepared once, and is one round trip.
 */
import type { RawBuilder } from 'kysely';
import { storableText } from './storable-text.ts';

export type DialectName = 'sqlite' | 'postgres';

export type FieldType = 'id' | 'ids' | 'text' | 'int' | 'bigint' | 'bytes';
export type Fields = Readonly<Record<string, FieldType>>;
export type RowOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends 'bytes'
    ? Uint8Array | null
    : F[K] extends 'int' | 'bigint'
      ? number | null
      : F[K] extends 'ids'
        ? readonly string[] | null
        : string | null;
};

/** What a statement says differently in each of the two databases, under one name; the texts lie in their folders. */
export interface Dialect {
  readonly name: DialectName;
  /**
   * Whether others use the database at the same time: they hold rows, and snapshots that keep what is gone. A
   * SQLite file has one process that serves it, and one writer.
   */
  readonly isShared: boolean;
  /** The nth parameter, with its type where nothing else in the statement tells it. */
  readonly $: (n: number, type?: FieldType) => string;
  /** A table expression `given` for a `from` clause that unpacks what `packRows` has made of rows. */
  readonly rows: (fields: Fields, parameter: number) => string;
  /**
   * The same of rows packed column by column, and how that is done: what ends many runs says much of each, and
   * Postgres takes arrays apart for less than JSON. Its parameters begin with the given one, and stand last.
   */
  readonly columns: (fields: Fields, first: number) => string;
  readonly packColumns: <F extends Fields>(fields: F, rows: readonly RowOf<F>[]) => unknown[];
  /** Turns an unpacked `bytes` field back into bytes. */
  readonly bytesOf: (column: string) => string;
  readonly least: (...values: readonly string[]) => string;
  readonly greatest: (...values: readonly string[]) => string;
  /** Whether a text holds another one, and whether bytes hold a text's. */
  readonly holds: (whole: RawBuilder<unknown>, text: RawBuilder<unknown>) => RawBuilder<boolean>;
  readonly holdsBytes: (whole: RawBuilder<unknown>, text: string) => RawBuilder<boolean>;
  /** What stands in a text before a mark, or all of it. */
  readonly before: (text: string, mark: string) => string;
  /** A locking clause. SQLite has one writer and needs none. */
  readonly lock: (clause: string) => string;
  /**
   * Part of a `from` clause: the statement that it stands in, and the rest of its transaction, waits but briefly
   * for rows that somebody else holds. It has to be read before the first of those rows. Between nodes a row is
   * held to the end of a commit; longer than that only somebody's `psql` holds it, or a report.
   */
  readonly briefly: string;
  /**
   * A text column in a condition that no index may serve. Statements that end many runs look each up by its key.
   * Left to itself, SQLite would go through all running ones once it has statistics, and Postgres would read their
   * whole index, which is small but full of the entries of runs that have ended since.
   */
  readonly unindexed: (column: string) => string;
  /** The condition that a column is one of some ids; one parameter, so one text to prepare, however many they are. */
  readonly isAmong: (column: string, ids: readonly string[]) => RawBuilder<boolean>;
  /** The condition that a row's `id` is among those that a selection takes, leaving out what others hold. */
  readonly isAmongFree: (selection: string) => string;
  /** The condition that a row of a table is among the first few for which a condition holds, in any order. */
  readonly isAmongFew: (table: string, condition: string, limit: string) => string;
  /** Part of a `from` clause: for each row before it the rows of a table that are picked, which has a limit. */
  readonly joinPicked: (picked: Picked) => string;
  /** The same for all rows `j` of a table under a condition. It ends the clause; a `limit` follows. */
  readonly joinUpTo: (rows: RowsUpTo) => string;
  /** Where the jobs that have ended are that retention deletes row by row, dead letters apart. */
  readonly unpartitioned: string;
  /** Selects the ids of a team's jobs whose URL may lie between two texts. 1 team, 2 from, 3 to, 4 the most */
  readonly findByUrl: string;
  /** See `RetentionStore.giveBackPages`. */
  readonly giveBackPages: (run: RunText, most: number) => Promise<number>;
}

export type RunText = (text: string) => Promise<unknown[]>;

export interface Picked {
  table: string;
  /** What they are called from there on. */
  as: string;
  columns: readonly string[];
  /** Selects the columns of `x` that it is given. */
  pick: (columns: string) => string;
}

export interface RowsUpTo {
  table: string;
  columns: string;
  condition: string;
  order?: string;
  limit: string;
}

/** Rows as the one JSON parameter that `Dialect.rows` reads; their texts too become storable. */
export function packRows<F extends Fields>(fields: F, rows: readonly RowOf<F>[]): string {
  const packed = rows.map((row) => packRow(fields, row));
  const text = JSON.stringify(packed);
  // JSON escapes exactly what can't be stored; an escaped backslash before the `u` only costs a second look.
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
