import type { Dialect, Fields } from './dialect.ts';
import { postgres } from '../sql/postgres.ts';
import { sqlite } from '../sql/sqlite.ts';

/**
 * Parameters are `?1` on SQLite and `$1` on Postgres. Postgres prepares it under its name, a comment at its start.
 */
export interface PreparedStatement<Row> {
  readonly sqlite: string;
  readonly postgres: string;
  /** Only carries the row's type. */
  readonly row?: Row;
}

/** By name, for the files that show the hot ones (statements.test.ts). */
export const STATEMENTS = new Map<string, PreparedStatement<unknown>>();

export function preparedStatement<Row>(
  name: string,
  write: (dialect: Dialect) => string,
): PreparedStatement<Row> {
  if (STATEMENTS.has(name)) throw new Error(`there are two statements ${name}`);
  const statement = {
    sqlite: `/* ${name} */ ${write(sqlite)}`,
    postgres: `/* ${name} */ ${write(postgres)}`,
  };
  STATEMENTS.set(name, statement);
  return statement;
}

/** Finds rows by team and id. $1 `fields` */
export function updateEach(name: string, table: string, fields: Fields): PreparedStatement<never> {
  const columns = Object.keys(fields).filter((column) => column !== 'team_id' && column !== 'id');
  return preparedStatement(
    name,
    ({ rows, hasKeyOf }) => `
  update ${table} set ${columns.map((column) => `${column} = given.${column}`).join(', ')}
  from ${rows(fields, 1)}
  where ${hasKeyOf(table, 'given')}`,
  );
}

/**
 * Without a name, so Postgres plans it each time by its values: for rare statements, and those whose plan from an
 * empty table could read far too much (plans.test.ts). Planning a search of all partitions takes some milliseconds.
 */
export function pageStatement<Row>(
  name: string,
  write: (dialect: Dialect) => string,
): PreparedStatement<Row> {
  return {
    sqlite: `${write(sqlite)} /* ${name} */`,
    postgres: `${write(postgres)} /* ${name} */`,
  };
}
