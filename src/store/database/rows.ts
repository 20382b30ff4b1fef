import type { Database, Reader, Trx } from './database.ts';
import { type Sql, sql } from './sql.ts';
import type { NewRow, Row, Tables } from '../tables/tables.ts';

/** Without joins; texts do those. */

type Table = keyof Tables;
type Column<T extends Table> = keyof Row<T> & string;

interface Compared<Value> {
  readonly operator: '<' | '<=' | '>' | '>=' | '<>' | 'is not';
  readonly value: Value;
  readonly and?: Compared<Value>;
}

type Wanted<Value> = Value | readonly Value[] | Compared<Value> | Sql<Value>;

/** A list: one of its values; an empty one matches nothing. */
type Key<T extends Table> = { [C in Column<T>]?: Wanted<Row<T>[C]> };

/** Undefined conditions are left out. */
export type Filter<T extends Table> = { [C in Column<T>]?: Wanted<Row<T>[C]> | undefined };

/** Undefined values are left out. */
type Changes<T extends Table> = { [C in Column<T>]?: Row<T>[C] | Sql<Row<T>[C]> | undefined };

export const above = <V>(value: V): Compared<V> => ({ operator: '>', value });
export const atLeast = <V>(value: V): Compared<V> => ({ operator: '>=', value });
export const below = <V>(value: V): Compared<V> => ({ operator: '<', value });
export const atMost = <V>(value: V): Compared<V> => ({ operator: '<=', value });
/** From (inclusive), to (exclusive). */
export const within = <V>(from: V, to: V): Compared<V> => ({ ...atLeast(from), and: below(to) });
export const not = <const V>(value: V): Compared<V> => ({
  operator: value === null ? 'is not' : '<>',
  value,
});

interface Choice<T extends Table, C extends Column<T>> {
  columns?: readonly C[];
  order?: readonly (Column<T> | `${Column<T>} desc` | Sql)[];
  where?: readonly (Sql | null)[];
  limit?: number;
  /** Such as `for update`; ignored on SQLite. */
  lock?: string;
}

/** A database runs each statement by itself. */
export type Reading = Reader | Database;
type Writing = Trx | Database;

export async function one<T extends Table, C extends Column<T>>(
  db: Reading,
  table: T,
  key: Key<T>,
  columns?: readonly C[],
  lock?: string,
): Promise<Pick<Row<T>, C> | undefined> {
  const [row] = await all(db, table, key, { ...(columns && { columns }), ...(lock && { lock }) });
  return row;
}

export async function first<T extends Table, C extends Column<T>>(
  db: Reading,
  table: T,
  key: Key<T>,
  choice: Omit<Choice<T, C>, 'limit'>,
): Promise<Pick<Row<T>, C> | undefined> {
  const [row] = await all(db, table, key, { ...choice, limit: 1 });
  return row;
}

export async function all<T extends Table, C extends Column<T>>(
  db: Reading,
  table: T,
  key: Filter<T>,
  { columns, order = [], where = [], limit, lock }: Choice<T, C> = {},
): Promise<Pick<Row<T>, C>[]> {
  const conditions = [...conditionsOf(givenOf(key)), ...where.filter((each) => each !== null)];
  const by = order.map((each) => (typeof each === 'string' ? sql.raw(each) : each));
  const parts = [
    sql.raw(`select ${columns?.join(', ') ?? '*'} from ${table}`),
    whereAll(conditions),
    by.length === 0 ? NOTHING : sql`order by ${sql.join(by)}`,
    limit === undefined ? NOTHING : sql`limit ${limit}`,
    sql.raw(lock === undefined ? '' : db.dialect.lock(lock)),
  ];
  return db.ask(sql<Pick<Row<T>, C>>`${sql.join(parts, ' ')}`);
}

/** Stops counting at `most`. */
export async function count<T extends Table>(
  db: Reading,
  table: T,
  key: Filter<T>,
  most: number,
): Promise<number> {
  const condition = whereAll(conditionsOf(givenOf(key)));
  const some = sql`select 1 from ${sql.raw(table)} ${condition} limit ${most}`;
  const [counted] = await db.ask(sql<{ n: number }>`
    select count(*) as n from (${some}) as counted`);
  return counted?.n ?? 0;
}

type New<T extends Table> = NewRow<T> | readonly NewRow<T>[];

type AnyRow = Readonly<Record<string, unknown>>;

const listOf = (rows: object): AnyRow[] => [rows].flat() as unknown as AnyRow[];

/** The most rows of one insert: Postgres and SQLite bound the parameters of a statement. */
const MOST_ADDED = 1_000;

export async function add<T extends Table>(db: Writing, table: T, rows: New<T>): Promise<void> {
  const all = listOf(rows);
  for (let n = 0; n < all.length; n += MOST_ADDED)
    await db.change(insert(table, all.slice(n, n + MOST_ADDED)));
}

/** Leaves out rows whose keys exist. @returns the number of new ones */
export async function addMissing<T extends Table>(
  db: Writing,
  table: T,
  rows: New<T>,
): Promise<number> {
  return db.change(sql`${insert(table, listOf(rows))} on conflict do nothing`);
}

/** Changes the row if its key exists. Both objects together are a whole row. */
export async function put<T extends Table>(
  db: Writing,
  table: T,
  key: Partial<NewRow<T>>,
  values: Partial<NewRow<T>>,
): Promise<void> {
  const added = insert(table, [{ ...key, ...values }]);
  const changes = Object.keys(values).map((column) => `${column} = excluded.${column}`);
  await db.change(sql`${added} on conflict (${sql.raw(Object.keys(key).join(', '))})
    do update set ${sql.raw(changes.join(', '))}`);
}

export async function change<T extends Table>(
  db: Writing,
  table: T,
  key: Key<T>,
  values: Changes<T>,
): Promise<number> {
  const changes = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => sql`${sql.raw(column)} = ${value}`);
  const condition = whereAll(conditionsOf(key));
  return db.change(sql`update ${sql.raw(table)} set ${sql.join(changes)} ${condition}`);
}

export async function remove<T extends Table>(db: Writing, table: T, key: Key<T>): Promise<number> {
  return db.change(sql`delete from ${sql.raw(table)} ${whereAll(conditionsOf(key))}`);
}

/** A column that a row lacks is null if another row has it, and else gets its default. */
function insert(table: string, rows: readonly AnyRow[]): Sql {
  const given = rows.flatMap((row) => Object.entries(row));
  const columns = [
    ...new Set(given.flatMap(([column, value]) => (value === undefined ? [] : [column]))),
  ];
  const values = rows.map((row) => {
    return sql`(${sql.join(columns.map((column) => row[column] ?? null))})`;
  });
  return sql`insert into ${sql.raw(`${table} (${columns.join(', ')})`)} values ${sql.join(values)}`;
}

const NOTHING = sql``;

function whereAll(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? NOTHING : sql`where ${sql.join(conditions, ' and ')}`;
}

function givenOf(filter: object): object {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function conditionsOf(key: object): Sql[] {
  return Object.entries(key).flatMap(([name, value]: [string, unknown]): Sql[] => {
    const column = sql.raw(name);
    if (value === null) return [sql`${column} is null`];
    if (Array.isArray(value))
      return [value.length > 0 ? sql`${column} in (${sql.join(value)})` : sql`1 = 0`];
    if (!isCompared(value)) return [sql`${column} = ${value}`];
    return [value, ...(value.and ? [value.and] : [])].map(
      ({ operator, value: other }) =>
        sql`${column} ${sql.raw(operator)} ${other === null ? sql.raw('null') : other}`,
    );
  });
}

function isCompared(value: unknown): value is Compared<unknown> {
  return typeof value === 'object' && value !== null && 'operator' in value;
}
