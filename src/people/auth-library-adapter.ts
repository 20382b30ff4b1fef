import { createAdapterFactory } from 'better-auth/adapters';
import type { AuthRow, AuthTable, AuthValue, Condition } from '#store/people/auth-records';
import { AUTH_TABLES } from '#store/people/auth-records';
import type { Store } from '#store/store';
import { hashToken } from './secrets.ts';

interface Where {
  field: string;
  operator?: Condition['operator'] | undefined;
  value: unknown;
  connector?: 'AND' | 'OR' | undefined;
}

/** The column of `sessions` in which the library expects the token itself. */
const TOKEN = 'token_hash';

/**
 * The auth library on our store: its rows go through the store's own transactions, its dates become
 * milliseconds, and a session's token is kept as a hash (§5.9) while the library sees the token that it asked
 * for.
 */
export function createAuthLibraryAdapter(records: Store['authRecords']) {
  return createAdapterFactory({
    config: { adapterId: 'belfry', adapterName: 'Belfry', supportsJSON: false, transaction: false },
    adapter: ({ getFieldName }) => ({
      create: async ({ model, data }) => {
        const row = data as unknown as AuthRow;
        const token = row[TOKEN];
        const kept = await records.insert(tableOf(model), hideToken(row));
        return showToken(kept, token) as never;
      },
      findOne: async ({ model, where }) => {
        const [row] = await records.select(tableOf(model), { where: conditions(where), limit: 1 });
        return (row ? showToken(row, tokenIn(where)) : null) as never;
      },
      findMany: async ({ model, where, limit, offset, sortBy }) =>
        (await records.select(tableOf(model), {
          where: conditions(where ?? []),
          limit,
          offset,
          sortBy: sortBy && {
            // The library names the field to sort by in its own terms.
            column: getFieldName({ model, field: sortBy.field }),
            direction: sortBy.direction,
          },
        })) as never,
      count: ({ model, where }) => records.count(tableOf(model), conditions(where ?? [])),
      update: async ({ model, where, update }) => {
        const set = hideToken(update as unknown as AuthRow);
        const row = await records.change(tableOf(model), conditions(where), { set, add: {} });
        return (row ? showToken(row, tokenIn(where)) : null) as never;
      },
      updateMany: ({ model, where, update }) =>
        records.updateAll(tableOf(model), conditions(where), hideToken(update as AuthRow)),
      delete: async ({ model, where }) => {
        await records.takeOne(tableOf(model), conditions(where));
      },
      deleteMany: ({ model, where }) => records.deleteAll(tableOf(model), conditions(where)),
      consumeOne: async ({ model, where }) => {
        const row = await records.takeOne(tableOf(model), conditions(where));
        return (row ? showToken(row, tokenIn(where)) : null) as never;
      },
      incrementOne: async ({ model, where, increment, set }) =>
        (await records.change(tableOf(model), conditions(where), {
          set: hideToken((set ?? {}) as AuthRow),
          add: increment,
        })) as never,
    }),
  });
}

function tableOf(model: string): AuthTable {
  const table = AUTH_TABLES.find((name) => name === model);
  if (!table) throw new TypeError(`the auth library has no table ${model}`);
  return table;
}

function conditions(where: readonly Where[]): Condition[] {
  return where.map(({ field, operator = 'eq', value, connector }) => ({
    column: field,
    operator,
    value: field === TOKEN ? hideValue(value) : (value as AuthValue),
    isAlternative: connector === 'OR',
  }));
}

function hideValue(value: unknown): string | string[] {
  return Array.isArray(value)
    ? value.map((token) => hashToken(String(token)))
    : hashToken(String(value));
}

function hideToken(row: AuthRow): AuthRow {
  const token = row[TOKEN];
  return typeof token === 'string' ? { ...row, [TOKEN]: hashToken(token) } : row;
}

function showToken(row: AuthRow, token: unknown): AuthRow {
  return typeof token === 'string' ? { ...row, [TOKEN]: token } : row;
}

function tokenIn(where: readonly Where[]): unknown {
  return where.find(({ field, operator = 'eq' }) => field === TOKEN && operator === 'eq')?.value;
}
