import { CompiledQuery } from 'kysely';
import type { Dialect } from './dialect.ts';
import { postgres } from '../postgres/sql.ts';
import type { HotRunner } from './procedure.ts';
import { sqlite } from '../sqlite/sql.ts';

/**
 * A statement of the hot path, written by hand because the builder would be compiled anew on every
 * call. Both dialects stand side by side; parameters are numbered, `?1` on SQLite and `$1` on Postgres.
 * The name becomes a comment at its start: Postgres prepares it under that name, and it shows in logs
 * of slow statements.
 */
export interface HotStatement<Row> {
  readonly sqlite: string;
  readonly postgres: string;
  /** Never set: carries the row's type. */
  readonly row?: Row;
}

export function hotStatement<Row>(
  name: string,
  write: (dialect: Dialect) => string,
): HotStatement<Row> {
  return {
    sqlite: `/* ${name} */ ${write(sqlite)}`,
    postgres: `/* ${name} */ ${write(postgres)}`,
  };
}

export function bindHot<Row>(
  dialect: Dialect,
  statement: HotStatement<Row>,
  parameters: readonly unknown[],
): CompiledQuery<Row> {
  return CompiledQuery.raw(statement[dialect.name], [...parameters]);
}

export async function runHot<Row>(
  runner: HotRunner,
  dialect: Dialect,
  statement: HotStatement<Row>,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await runner.executeQuery(bindHot(dialect, statement, parameters));
  return rows;
}
