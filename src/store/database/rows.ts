import {
  type ExpressionBuilder,
  type Insertable,
  type Kysely,
  type RawBuilder,
  sql,
  type Updateable,
} from 'kysely';
import { Database, type Reader, type Trx } from './database.ts';
import type { Row, Tables } from '../tables/tables.ts';

/** Without joins; Kysely or prepared statements do those. */

type Table = keyof Tables;
type Column<T extends Table> = keyof Row<T> & string;

interface Compared<Value> {
  readonly operator: '<' | '<=' | '>' | '>=' | '<>' | 'is not';
  readonly value: Value;
  readonly and?: Compared<Value>;
}

type Wanted<Value> = Value | readonly Value[] | Compared<Value> | RawBuilder<Value>;

/** A list: one of its values; an empty one matches nothing. */
type Key<T extends Table> = { [C in Column<T>]?: Wanted<Row<T>[C]> };

/** Undefined conditions are left out. */
export type Filter<T extends Table> = { [C in Column<T>]?: Wanted<Row<T>[C]> | undefined };

type Changes<T extends Table> = {
  [C in keyof Updateable<Tables[T]>]: Updateable<Tables[T]>[C] | RawBuilder<Row<T>[C & Column<T>]>;
};

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
  order?: readonly (Column<T> | `${Column<T>} desc` | RawBuilder<unknown>)[];
  where?: readonly (RawBuilder<boolean> | null)[];
  limit?: number;
  /** Such as `for update`; ignored on SQLite. */
  lock?: string;
}

/** A database opens a read or transaction of its own. */
type Reading = Reader | Database;
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
  const read = async (reader: Reader) => {
    const from = open(reader).selectFrom<string>(table);
    let query = columns ? from.select([...columns]) : from.selectAll();
    query = query.where(matches(givenOf(key)));
    for (const condition of where) if (condition) query = query.where(condition);
    for (const each of order) {
      if (typeof each !== 'string') query = query.orderBy(each);
      else if (each.endsWith(' desc')) query = query.orderBy(each.slice(0, -5), 'desc');
      else query = query.orderBy(each);
    }
    if (limit !== undefined) query = query.limit(limit);
    if (lock !== undefined) query = query.modifyEnd(sql.raw(reader.dialect.lock(lock)));
    return (await query.execute()) as Pick<Row<T>, C>[];
  };
  return db instanceof Database ? db.read(read) : read(db);
}

/** Stops counting at `most`. */
export async function count<T extends Table>(
  db: Reading,
  table: T,
  key: Filter<T>,
  most: number,
): Promise<number> {
  const read = async (reader: Reader) => {
    const some = open(reader)
      .selectFrom<string>(table)
      .select(sql.lit(1).as('one'))
      .where(matches(givenOf(key)))
      .limit(most);
    const counted = await open(reader)
      .selectFrom(some.as('some'))
      .select((eb) => eb.fn.countAll<number | string>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(counted.n);
  };
  return db instanceof Database ? db.read(read) : read(db);
}

type New<T extends Table> = Insertable<Tables[T]> | readonly Insertable<Tables[T]>[];

/** The most rows of one insert: Postgres and SQLite bound the parameters of a statement. */
const MOST_ADDED = 1_000;

export async function add<T extends Table>(db: Writing, table: T, rows: New<T>): Promise<void> {
  const all = [rows].flat() as Record<string, unknown>[];
  await write(db, async (trx) => {
    for (let n = 0; n < all.length; n += MOST_ADDED)
      await trx
        .insertInto<string>(table)
        .values(all.slice(n, n + MOST_ADDED))
        .execute();
  });
}

/** Leaves out rows whose keys exist. @returns the number of new ones */
export async function addMissing<T extends Table>(
  db: Writing,
  table: T,
  rows: New<T>,
): Promise<number> {
  const { numInsertedOrUpdatedRows } = await write(db, (trx) => {
    const query = trx.insertInto<string>(table).values(rows);
    return query.onConflict((conflict) => conflict.doNothing()).executeTakeFirstOrThrow();
  });
  return Number(numInsertedOrUpdatedRows);
}

/** Changes the row if its key exists. Both objects together are a whole row. */
export async function put<T extends Table>(
  db: Writing,
  table: T,
  key: Partial<Insertable<Tables[T]>>,
  values: Partial<Insertable<Tables[T]>>,
): Promise<void> {
  await write(db, (trx) => {
    const query = trx.insertInto<string>(table).values({ ...key, ...values });
    const columns = Object.keys(key);
    return query.onConflict((oc) => oc.columns(columns).doUpdateSet({ ...values })).execute();
  });
}

export async function change<T extends Table>(
  db: Writing,
  table: T,
  key: Key<T>,
  values: Changes<T>,
): Promise<number> {
  const { numUpdatedRows } = await write(db, (trx) =>
    trx.updateTable<string>(table).set(values).where(matches(key)).executeTakeFirstOrThrow(),
  );
  return Number(numUpdatedRows);
}

export async function remove<T extends Table>(db: Writing, table: T, key: Key<T>): Promise<number> {
  const { numDeletedRows } = await write(db, (trx) =>
    trx.deleteFrom<string>(table).where(matches(key)).executeTakeFirstOrThrow(),
  );
  return Number(numDeletedRows);
}

function write<T>(db: Writing, work: (trx: Kysely<AnyTables>) => Promise<T>): Promise<T> {
  return db instanceof Database ? db.transact((trx) => work(open(trx))) : work(open(db));
}

type AnyTables = Record<string, Record<string, unknown>>;

/** Typed for tables that are parameters. The functions above check names and values. */
function open(db: Reader): Kysely<AnyTables> {
  return db as unknown as Kysely<AnyTables>;
}

function givenOf(filter: object): object {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function matches(key: object) {
  return (eb: ExpressionBuilder<AnyTables, string>) =>
    eb.and(
      Object.entries(key).flatMap(([column, value]: [string, unknown]) => {
        if (Array.isArray(value)) return value.length > 0 ? eb(column, 'in', value) : eb.lit(false);
        if (value === null) return eb(column, 'is', null);
        if (!isCompared(value)) return eb(column, '=', value);
        return [value, ...(value.and ? [value.and] : [])].map((each) =>
          eb(column, each.operator, each.value),
        );
      }),
    );
}

function isCompared(value: unknown): value is Compared<unknown> {
  return typeof value === 'object' && value !== null && 'operator' in value;
}
