import { CompiledQuery } from 'kysely';
import type { DialectName } from './dialect.ts';
import type { HotRunner } from './procedure.ts';

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
  write: (dialect: DialectName) => string,
): HotStatement<Row> {
  return {
    sqlite: `/* ${name} */ ${write('sqlite')}`,
    postgres: `/* ${name} */ ${write('postgres')}`,
  };
}

export function bindHot<Row>(
  dialect: DialectName,
  statement: HotStatement<Row>,
  parameters: readonly unknown[],
): CompiledQuery<Row> {
  return CompiledQuery.raw(statement[dialect], [...parameters]);
}

export async function runHot<Row>(
  runner: HotRunner,
  dialect: DialectName,
  statement: HotStatement<Row>,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await runner.executeQuery(bindHot(dialect, statement, parameters));
  return rows;
}
