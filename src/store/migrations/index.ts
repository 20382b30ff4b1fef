import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { StoreError } from '../errors.ts';
import { explainRefusal } from '../postgres/explain.ts';
import { createWorkTables } from './0001-work.ts';
import { createAccountTables } from './0002-accounts.ts';
import { createAlertTables } from './0003-alerts.ts';
import { createListIndexes } from './0004-lists.ts';
import { COLUMN_TYPES, type ColumnTypes } from './column-types.ts';

type MigrationStep = (db: Kysely<unknown>, types: ColumnTypes) => Promise<void>;

/** In order, by name; one that has been released is never edited. */
const STEPS: Record<string, MigrationStep> = {
  '0001-work': createWorkTables,
  '0002-accounts': createAccountTables,
  '0003-alerts': createAlertTables,
  '0004-lists': createListIndexes,
};

/** The names of all migrations of this version, in order. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(STEPS);

/**
 * Brings the database up to this version, one process at a time: Postgres by an advisory lock, SQLite
 * because the whole run is one immediate transaction.
 *
 * @returns the names of the migrations that were applied now
 */
export async function migrateToLatest(
  db: Kysely<never>,
  kind: 'sqlite' | 'postgres',
): Promise<string[]> {
  const types = COLUMN_TYPES[kind];
  const migrations: Record<string, Migration> = {};
  for (const [name, step] of Object.entries(STEPS)) {
    migrations[name] = { up: (trx: Kysely<unknown>) => step(trx, types) };
  }
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error instanceof StoreError) throw kind === 'postgres' ? tellRefusal(error) : error;
  if (error) throw toStoreError(error);
  return (results ?? []).map(({ migrationName }) => migrationName);
}

/** Migrating is the first that is asked of a server: here it shows whether it can be used at all. */
function tellRefusal(error: StoreError): StoreError {
  const refusal = explainRefusal(error);
  if (refusal === null) return error;
  return new StoreError(error.code, `Postgres ${refusal}`, { cause: error });
}

function toStoreError(cause: unknown): StoreError {
  const text = cause instanceof Error ? cause.message : String(cause);
  if (!text.includes('previously executed migration')) {
    return new StoreError('STORE_FAULT', `migrating the database failed: ${text}`, { cause });
  }
  return new StoreError(
    'STORE_TOO_NEW',
    'the database was made by a newer version of Belfry; start that version or restore a backup',
    { cause },
  );
}
