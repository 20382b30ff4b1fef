import { CompiledQuery } from 'kysely';
import type { Dialect } from './dialect.ts';
import { postgres } from '../sql/postgres.ts';
import type { QueryRunner, StatementRunner } from './transaction-script.ts';
import { sqlite } from '../sql/sqlite.ts';

/**
 * A frequent statement, written by hand because Kysely's builder would compile it again on every call. It has a text
 * for each dialect; parameters are numbered, `?1` on SQLite and `$1` on Postgres. The name becomes a comment at the
 * start of the text: Postgres prepares the statement under it, and it shows in logs of slow statements.
 */
export interface PreparedStatement<Row> {
  readonly sqlite: string;
  readonly postgres: string;
  /** Never set; it only carries the row's type. */
  readonly row?: Row;
}

/** The prepared statements by name, for the files that show the hot ones (statements.test.ts). */
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

/**
 * A statement without a name at its start, so that Postgres plans it each time, by its values and statistics. For rare
 * statements, and those for which a plan that was made while a table was empty could read far too much (plans.test.ts).
 * Planning a search of all partitions takes the server some milliseconds.
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

export function bindPrepared<Row>(
  dialect: Dialect,
  statement: PreparedStatement<Row>,
  parameters: readonly unknown[],
): CompiledQuery<Row> {
  return CompiledQuery.raw(statement[dialect.name], [...parameters]);
}

export function runsStatements<Runner extends QueryRunner>(
  runner: Runner,
  dialect: Dialect,
): Runner & StatementRunner {
  return Object.assign(runner, {
    dialect,
    rows: async <Row>(statement: PreparedStatement<Row>, parameters: readonly unknown[]) => {
      const { rows } = await runner.executeQuery(bindPrepared(dialect, statement, parameters));
      return rows;
    },
  });
}
