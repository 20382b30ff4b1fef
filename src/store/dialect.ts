/**
 * Every difference between the two databases that a query has to know, in one place.
 *
 * A batch of rows goes to either as one JSON parameter, so that a statement over any number of rows has
 * one text, is prepared once, and is one round trip.
 */
import { type RawBuilder, sql } from 'kysely';
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

const POSTGRES_TYPES: Record<FieldType, string> = {
  id: 'uuid',
  ids: 'uuid[]',
  text: 'text',
  int: 'integer',
  bigint: 'bigint',
  bytes: 'text', // travels as hexadecimal, see `packRows`
};

/**
 * The text of a table expression that unpacks one JSON parameter, for a `from` clause.
 *
 * @param parameter  how the statement names the parameter: `$1` on Postgres, `?1` on SQLite
 */
export function unpackRows(dialect: DialectName, fields: Fields, parameter: number): string {
  const names = Object.keys(fields);
  if (dialect === 'postgres') {
    const columns = names.map((name) => `${name} ${POSTGRES_TYPES[fields[name] ?? 'text']}`);
    return `json_to_recordset($${parameter}::json) as given(${columns.join(', ')})`;
  }
  const columns = names.map((name) => `value->>'${name}' as ${name}`);
  return `(select ${columns.join(', ')} from json_each(?${parameter})) as given`;
}

/** The expression that turns an unpacked `bytes` field back into bytes. */
export function bytesOf(dialect: DialectName, column: string): string {
  return dialect === 'postgres' ? `decode(${column}, 'hex')` : `unhex(${column})`;
}

/** Rows as the one JSON parameter that `unpackRows` reads; their texts too become storable. */
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

/**
 * The condition that a row's `id` is among those that a selection takes, leaving out what another transaction
 * holds. On Postgres they are made a list first: as a part of a join the selection may be run again and again, and
 * takes others each time, more than its limit. SQLite has one writer and needs no word for that.
 */
export function isAmongFree(
  dialect: DialectName,
  selection: RawBuilder<{ id: string }>,
): RawBuilder<boolean> {
  if (dialect === 'sqlite') return sql<boolean>`id in (${selection})`;
  return sql<boolean>`id = any(array(${selection} for update skip locked))`;
}

/**
 * A text column in a condition that no index may serve. Statements that end many runs look each up by its
 * key. Left to itself, SQLite would go through all running ones once it has statistics, and Postgres would
 * read their whole index, which is small but full of the entries of runs that have ended since.
 */
export function unindexed(dialect: DialectName, column: string): string {
  return dialect === 'sqlite' ? `+${column}` : `${column} || ''`;
}
