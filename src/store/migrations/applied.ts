import type { DialectName } from '../database/dialect.ts';
import { StoreError } from '../database/errors.ts';
import { BASELINE } from './migrations.ts';

const UNRELEASED_TABLE = 'kysely_migration';
const UNRELEASED =
  'the database was made by a commit before the first release, and this version cannot read it; to keep its data, run "belfry team export" with that commit and "belfry team apply" here, on a new database';

const FIND_TABLES: Record<DialectName, string> = {
  sqlite: `select name from sqlite_schema where type = 'table'
    and name in ('migrations', '${UNRELEASED_TABLE}')`,
  postgres: `select name from unnest(array['migrations', '${UNRELEASED_TABLE}']) as name
    where to_regclass(name) is not null`,
};

type Ask = (text: string) => Promise<readonly unknown[]>;

/** Empty for an empty database. Throws for one from before the first release. */
export async function findApplied(ask: Ask, dialect: DialectName): Promise<string[]> {
  const tables = await askNames(ask, FIND_TABLES[dialect]);
  if (tables.includes(UNRELEASED_TABLE)) throw new StoreError('STORE_UNRELEASED', UNRELEASED);
  if (tables.length === 0) return [];
  const names = await askNames(ask, 'select name from migrations order by name');
  const isOther = names.some((name) => name.startsWith('0001-') && name !== BASELINE);
  if (isOther) throw new StoreError('STORE_UNRELEASED', UNRELEASED);
  return names;
}

async function askNames(ask: Ask, text: string): Promise<string[]> {
  return ((await ask(text)) as { name: string }[]).map(({ name }) => name);
}
