import { sql } from 'kysely';
import type { Kysely, SqlBool, Transaction } from 'kysely';
import type { Reader, Trx } from '../database/database.ts';
import type { Context } from '../database/context.ts';

/** The tables that the auth library reads and writes by itself. */
export const AUTH_TABLES = [
  'users',
  'sessions',
  'accounts',
  'verifications',
  'two_factors',
  'passkeys',
] as const;
export type AuthTable = (typeof AUTH_TABLES)[number];

export type AuthValue = string | number | boolean | Date | null;
export type AuthRow = Record<string, AuthValue>;

export type Operator =
  | 'eq'
  | 'ne'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'in'
  | 'not_in'
  | 'contains'
  | 'starts_with'
  | 'ends_with';

export interface Condition {
  column: string;
  operator: Operator;
  value: AuthValue | readonly (string | number)[];
  /** The condition is joined to the others by OR. */
  isAlternative: boolean;
}

export interface Selection {
  where: readonly Condition[];
  limit?: number | undefined;
  offset?: number | undefined;
  sortBy?: { column: string; direction: 'asc' | 'desc' } | undefined;
}

type AnyTables = Record<string, Record<string, unknown>>;

/**
 * Rows for the auth library, which passes its own conditions. Dates and yes/no values are converted to the store's
 * integers and back. Each call is one transaction.
 */
export const authRecords = {
  async insert({ main }: Context, table: AuthTable, row: AuthRow): Promise<AuthRow> {
    return main.transact(async (trx) =>
      readRow(
        await open(trx)
          .insertInto(table)
          .values(writeRow(row))
          .returningAll()
          .executeTakeFirstOrThrow(),
      ),
    );
  },

  async select({ main }: Context, table: AuthTable, selection: Selection): Promise<AuthRow[]> {
    const { where, limit, offset, sortBy } = selection;
    const rows = await main.read((db) => {
      let query = open(db).selectFrom(table).selectAll().where(matches(where));
      if (sortBy) query = query.orderBy(sortBy.column, sortBy.direction);
      if (limit !== undefined) query = query.limit(limit);
      if (offset !== undefined) query = query.offset(offset);
      return query.execute();
    });
    return rows.map(readRow);
  },

  async count({ main }: Context, table: AuthTable, where: readonly Condition[]): Promise<number> {
    const row = await main.read((db) =>
      open(db)
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number | string>().as('n'))
        .where(matches(where))
        .executeTakeFirstOrThrow(),
    );
    return Number(row.n);
  },

  async updateAll(
    { main }: Context,
    table: AuthTable,
    where: readonly Condition[],
    values: AuthRow,
  ): Promise<number> {
    return main.transact(async (trx) => {
      const { numUpdatedRows } = await open(trx)
        .updateTable(table)
        .set(writeRow(values))
        .where(matches(where))
        .executeTakeFirst();
      return Number(numUpdatedRows);
    });
  },

  /** Adds to some columns and sets others of one matching row, in one statement. Null: none matches. */
  async change(
    context: Context,
    table: AuthTable,
    where: readonly Condition[],
    { set, add }: { set: AuthRow; add: Record<string, number> },
  ): Promise<AuthRow | null> {
    return context.main.transact(async (trx) => {
      const id = await holdOne(context, trx, table, where);
      if (id === null) return null;
      const sums = Object.entries(add).map(
        ([column, delta]) => [column, sql`${sql.ref(column)} + ${delta}`] as const,
      );
      const row = await open(trx)
        .updateTable(table)
        .set({ ...writeRow(set), ...Object.fromEntries(sums) })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return readRow(row);
    });
  },

  /** Deletes one matching row and returns it. Of several simultaneous callers exactly one gets it. */
  async takeOne(
    context: Context,
    table: AuthTable,
    where: readonly Condition[],
  ): Promise<AuthRow | null> {
    return context.main.transact(async (trx) => {
      const id = await holdOne(context, trx, table, where);
      if (id === null) return null;
      const row = await open(trx)
        .deleteFrom(table)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row ? readRow(row) : null;
    });
  },

  async deleteAll(
    { main }: Context,
    table: AuthTable,
    where: readonly Condition[],
  ): Promise<number> {
    return main.transact(async (trx) => {
      const { numDeletedRows } = await open(trx)
        .deleteFrom(table)
        .where(matches(where))
        .executeTakeFirst();
      return Number(numDeletedRows);
    });
  },
};

async function holdOne(
  { main }: Context,
  trx: Trx,
  table: AuthTable,
  where: readonly Condition[],
): Promise<string | null> {
  const row = await open(trx)
    .selectFrom(table)
    .select('id')
    .where(matches(where))
    .limit(1)
    .modifyEnd(sql.raw(main.dialect.lock('for update')))
    .executeTakeFirst();
  return row ? String(row['id']) : null;
}

/** The same handle, typed for columns whose names are known only at run time. */
function open(trx: Trx): Transaction<AnyTables>;
function open(db: Reader): Pick<Kysely<AnyTables>, 'selectFrom'>;
function open(db: Reader): unknown {
  return db;
}

/** All conditions joined by AND must hold, and at least one of those joined by OR. */
function matches(where: readonly Condition[]) {
  const groups = Map.groupBy(where, ({ isAlternative }) => isAlternative);
  const all = (groups.get(false) ?? []).map(compare);
  const any = (groups.get(true) ?? []).map(compare);
  if (any.length > 0) all.push(sql<SqlBool>`(${sql.join(any, sql` or `)})`);
  return all.length > 0 ? sql<SqlBool>`${sql.join(all, sql` and `)}` : sql<SqlBool>`1 = 1`;
}

const SIGNS = {
  eq: sql`=`,
  ne: sql`<>`,
  lt: sql`<`,
  lte: sql`<=`,
  gt: sql`>`,
  gte: sql`>=`,
} as const;

function compare({ column, operator, value }: Condition) {
  const name = sql.ref(column);
  if (Array.isArray(value)) {
    const list = sql.join(value);
    const isIn = operator !== 'not_in';
    if (value.length === 0) return isIn ? sql<SqlBool>`1 = 0` : sql<SqlBool>`1 = 1`;
    return isIn ? sql<SqlBool>`${name} in (${list})` : sql<SqlBool>`${name} not in (${list})`;
  }
  const written = writeValue(value as AuthValue);
  if (written === null) {
    return operator === 'ne' ? sql<SqlBool>`${name} is not null` : sql<SqlBool>`${name} is null`;
  }
  if (!(operator in SIGNS)) throw new TypeError(`the accounts have no use for ${operator}`);
  return sql<SqlBool>`${name} ${SIGNS[operator as keyof typeof SIGNS]} ${written}`;
}

function writeValue(value: AuthValue): string | number | null {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'boolean' ? Number(value) : value;
}

function writeRow(row: AuthRow): Record<string, string | number | null> {
  const entries = Object.entries(row).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([column, value]) => [column, writeValue(value)]));
}

const YES_NO_COLUMNS = new Set(['email_verified', 'two_factor_enabled', 'verified', 'backed_up']);

function readRow(row: Record<string, unknown>): AuthRow {
  const entries = Object.entries(row).map(([column, value]) => [column, readValue(column, value)]);
  return Object.fromEntries(entries) as AuthRow;
}

function readValue(column: string, value: unknown): unknown {
  if (value === null) return null;
  if (YES_NO_COLUMNS.has(column)) return value === 1;
  return /_(at|until)$/.test(column) ? new Date(Number(value)) : value;
}
