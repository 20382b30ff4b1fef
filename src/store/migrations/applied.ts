import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../database/dialect.ts';
import { StoreError } from '../database/errors.ts';
import type { Tables } from '../tables/tables.ts';

/** The table of migrations in databases that were made before the first release. */
export const UNRELEASED_TABLE = 'kysely_migration';
export const UNRELEASED =
  'the database was made by a commit before the first release, and this version cannot read it; to keep its data, run "belfry team export" with that commit and "belfry team apply" here, on a new database';

const FIND_TABLES: Record<DialectName, string> = {
  sqlite: `select name from sqlite_schema where type = 'table'
    and name in ('migrations', '${UNRELEASED_TABLE}')`,
  postgres: `select name from unnest(array['migrations', '${UNRELEASED_TABLE}']) as name
    where to_regclass(name) is not null`,
};

/**
 * The names of the applied migrations; empty for an empty database. Throws a StoreError for a database that was made
 * before the first release.
 */
export async function readApplied(db: Kysely<Tables>, dialect: DialectName): Promise<string[]> {
  const { rows } = await sql.raw<{ name: string }>(FIND_TABLES[dialect]).execute(db);
  const tables = rows.map(({ name }) => name);
  if (tables.includes(UNRELEASED_TABLE)) throw new StoreError('STORE_UNRELEASED', UNRELEASED);
  if (tables.length === 0) return [];
  const applied = await db.selectFrom('migrations').select('name').orderBy('name').execute();
  return applied.map(({ name }) => name);
}
