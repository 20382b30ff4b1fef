/**
 * A batch is one JSON parameter, so a statement has one text for any number of rows, is prepared once, and is one round
 * trip.
 */
import type { Sql } from './sql.ts';
import { storableText } from './storable-text.ts';

export type DialectName = 'sqlite' | 'postgres';

/** `json`: text of `JSON.stringify`, never empty. */
export type FieldType = 'id' | 'ids' | 'text' | 'json' | 'int' | 'bigint' | 'bytes' | 'place';

/**
 * Postgres' `ctid` or SQLite's `rowid`: reading by it needs no index. It changes with an update or `vacuum full`, and
 * may then be another row's.
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

export interface Dialect {
  readonly name: DialectName;
  /** Batches of accepted jobs that a process writes at once. A SQLite file has one writer. */
  readonly writers: number;
  /** Only one process serves the database, so nodes of earlier processes are dead. */
  readonly hasOneNode: boolean;
  /** Deleted rows stay until a vacuum may remove them, which old snapshots prevent. */
  readonly keepsDeadRows: boolean;
  /** With a type if the statement doesn't determine it. */
  readonly $: (n: number, type?: FieldType) => string;
  /** If each value occurs once, in order: SQLite takes a second to look up the numbers of 27,000 parameters. */
  readonly inOrder: (n: number) => string;
  /** A table expression `given` of the rows of `packRows`. */
  readonly rows: (fields: Fields, parameter: number) => string;
  /**
   * Packed by columns (`packColumns`), because Postgres unpacks arrays faster than JSON. The parameters start at
   * `first` and must be the last ones.
   */
  readonly columns: (fields: Fields, first: number) => string;
  readonly packColumns: <F extends Fields>(fields: F, rows: readonly RowOf<F>[]) => unknown[];
  readonly bytesOf: (column: string) => string;
  readonly least: (...values: readonly string[]) => string;
  readonly greatest: (...values: readonly string[]) => string;
  readonly contains: (whole: Sql, text: Sql) => Sql;
  readonly containsBytes: (whole: Sql, text: string) => Sql;
  /** The whole text without the mark. */
  readonly before: (text: string, mark: string) => string;
  /** Empty on SQLite, which has one writer. */
  readonly lock: (clause: string) => string;
  /**
   * A `from` item that limits waits for locked rows in the rest of the transaction; evaluate it before the first locked
   * row. Nodes lock rows only until a commit; longer locks come from a `psql` session.
   */
  readonly limitLockWaits: string;
  /**
   * The planner must not use an index for it: statements that end runs look each up by its key. Otherwise SQLite would
   * read all running ones, and Postgres their whole index with its dead entries.
   */
  readonly withoutIndex: (column: string) => string;
  /**
   * Joins two rows by key. A nested loop with index look-ups is the only plan, for any statistics.
   * @param key default: the team and the id
   */
  readonly hasKeyOf: (table: string, other: string, key?: readonly string[]) => string;
  /**
   * The fields are the key's columns, in their order.
   *
   * @param lockWaits see `limitLockWaits`
   */
  readonly deleteGiven: (
    table: string,
    key: Fields,
    parameter: number,
    lockWaits?: 'limited',
  ) => string;
  /** One parameter, so the text is the same for any number. */
  readonly isAmong: (column: string, ids: readonly string[]) => Sql;
  /** Skips rows that others have locked. */
  readonly isAmongFree: (selection: string) => string;
  readonly isAmongFew: (table: string, condition: string, limit: string) => string;
  /** A lateral join of a limited subquery. */
  readonly joinPicked: (picked: Picked) => string;
  /** Joins all rows `j` under a condition. At the end of the clause, with a `limit` after it. */
  readonly joinUpTo: (rows: RowsUpTo) => string;
  /** Searches only the partitions of those times. */
  readonly endedWithin: (jobs: string, span: Span) => Sql;
  /** Successful jobs that retention deletes row by row. */
  readonly unpartitioned: string;
  /** $1 team, $2 from, $3 to, $4 limit */
  readonly findByUrl: string;
  /** `rowNumber` in tables/table.ts. */
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
  pick: (columns: string) => string;
}

interface RowsUpTo {
  table: string;
  columns: string;
  condition: string;
  order?: string;
  limit: string;
}

/** For `Dialect.rows`. Makes texts storable. */
export function packRows<F extends Fields>(fields: F, rows: readonly RowOf<F>[]): string {
  const packed = rows.map((row) => packRow(fields, row));
  const text = JSON.stringify(packed);
  // JSON escapes exactly the characters that can't be stored. An escaped backslash before a `u` costs a needless pass.
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

export const IDS = { id: 'id' } as const satisfies Fields;

export function packIds(ids: readonly string[]): string {
  return packRows(
    IDS,
    ids.map((id) => ({ id })),
  );
}

export const SOURCES = { team_id: 'id', source_id: 'id' } as const satisfies Fields;
