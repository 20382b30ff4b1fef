import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { StoreError, wasLockedOut } from '../database/errors.ts';
import { explaining } from '../postgres/explain.ts';
import { areBuilt, buildIndexes, LOCKED_OUT_MS, type OnIndex } from '../postgres/index-steps.ts';
import { COLUMN_TYPES, type ColumnTypes } from './column-types.ts';
import { POSTGRES_INDEXES } from './postgres-indexes.ts';

type MigrationStep = (db: Kysely<unknown>, types: ColumnTypes) => Promise<void>;

/**
 * The migrations, in order. A released one is never edited. They are loaded on demand, because most starts and commands
 * need none.
 */
const STEPS: Record<string, () => Promise<MigrationStep>> = {
  '0001-work': async () => (await import('./0001-work.ts')).createWorkTables,
  '0002-accounts': async () => (await import('./0002-accounts.ts')).createAccountTables,
  '0003-alerts': async () => (await import('./0003-alerts.ts')).createAlertTables,
  '0004-lists': async () => (await import('./0004-lists.ts')).createListIndexes,
  '0005-callbacks-under-way': async () =>
    (await import('./0005-callbacks-under-way.ts')).createCallbacksUnderWay,
  '0006-taken-slots': async () => (await import('./0006-taken-slots.ts')).createTakenSlots,
  '0007-confirmed-emails': async () =>
    (await import('./0007-confirmed-emails.ts')).confirmPresentEmails,
  '0008-timed-alerts': async () => (await import('./0008-timed-alerts.ts')).createTimedAlerts,
  '0009-ended-runs': async () => (await import('./0009-ended-runs.ts')).createEndedRuns,
  '0010-figures': async () => (await import('./0010-figures.ts')).createFigures,
  '0011-passkeys': async () => (await import('./0011-passkeys.ts')).createPasskeys,
  '0012-channels': async () => (await import('./0012-channels.ts')).createChannels,
  '0013-alert-extras': async () => (await import('./0013-alert-extras.ts')).createAlertExtras,
  '0014-next-signing-secrets': async () =>
    (await import('./0014-next-signing-secrets.ts')).addNextSigningSecrets,
  '0015-activity': async () => (await import('./0015-activity.ts')).createActivity,
  '0017-tags': async () => (await import('./0017-tags.ts')).addTags,
  '0018-old-successes': async () => (await import('./0018-old-successes.ts')).createOldSuccesses,
  '0019-viewers': async () => (await import('./0019-viewers.ts')).addViewers,
  '0020-ends-of-executions': async () =>
    (await import('./0020-ends-of-executions.ts')).indexEndsOfExecutions,
  '0021-slow-runs': async () => (await import('./0021-slow-runs.ts')).createSlowRuns,
  '0022-cron-ends': async () => (await import('./0022-cron-ends.ts')).addCronEnds,
  '0024-rates': async () => (await import('./0024-rates.ts')).addRates,
  '0025-spread-retries': async () => (await import('./0025-spread-retries.ts')).addSpreadRetries,
  '0026-team-pauses': async () => (await import('./0026-team-pauses.ts')).addTeamPauses,
  '0028-provider-sessions': async () =>
    (await import('./0028-provider-sessions.ts')).addProviderSessions,
  '0029-failing-queues': async () => (await import('./0029-failing-queues.ts')).createFailingQueues,
  '0030-group-memberships': async () =>
    (await import('./0030-group-memberships.ts')).addGroupMemberships,
  '0031-batch-counts': async () => (await import('./0031-batch-counts.ts')).createBatchCounts,
};

/** The names of all migrations of this version, in order. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(STEPS);

/**
 * The names of the applied migrations, in order; empty for an empty database. Throws StoreErrors that tell an operator
 * why the server can't be used.
 */
export async function readAppliedMigrations(
  db: Kysely<never>,
  kind: 'sqlite' | 'postgres',
): Promise<string[]> {
  try {
    if (!(await (kind === 'sqlite' ? hasSqliteTable(db) : hasPostgresTable(db)))) return [];
    const { rows } = await sql<{ name: string }>`
      select name from kysely_migration order by name`.execute(db);
    return rows.map(({ name }) => name);
  } catch (error) {
    throw kind === 'postgres' && error instanceof StoreError ? explaining(error) : error;
  }
}

async function hasPostgresTable(db: Kysely<never>): Promise<boolean> {
  const { rows } = await sql<{ made: boolean }>`
    select to_regclass('kysely_migration') is not null as made`.execute(db);
  return rows[0]?.made === true;
}

async function hasSqliteTable(db: Kysely<never>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from sqlite_schema where type = 'table' and name = 'kysely_migration'`.execute(db);
  return rows.length > 0;
}

/** Whether the indexes of large tables exist. They are no migrations; on SQLite they are part of the migrations. */
export async function hasAllIndexes(
  db: Kysely<never>,
  kind: 'sqlite' | 'postgres',
): Promise<boolean> {
  return kind === 'sqlite' || areBuilt(db, POSTGRES_INDEXES);
}

/**
 * Migrates a Postgres database while others use it: tables in one transaction, under an advisory lock; then indexes
 * outside of transactions, one after the other. Indexes that already exist, valid and in the right form, are left
 * alone, whoever made them.
 *
 * @param schema  made if it is missing; without it, the first one of the search path
 * @returns the names of the migrations that were applied now
 */
export async function migratePostgres(
  db: Kysely<never>,
  onIndex: OnIndex,
  schema?: string,
): Promise<string[]> {
  const applied = await migrateBetweenOthers(db, onIndex, schema);
  await buildIndexes(db, POSTGRES_INDEXES, onIndex);
  return applied;
}

/** Long enough for what waited behind a change of a table. */
const LET_OTHERS_MS = 3_000;

/**
 * Tries again and again where somebody holds a table that is to be changed, such as a `pg_dump`, for as long as that
 * takes. In between others go on. It uses the machine's own time, since it waits for another process.
 */
async function migrateBetweenOthers(
  db: Kysely<never>,
  onIndex: OnIndex,
  schema: string | undefined,
): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    try {
      return await migrateToLatest(db, 'postgres', { schema });
    } catch (error) {
      if (!wasLockedOut(error)) throw error;
      if (tries === 0) onIndex('table-awaited');
      await delay(LET_OTHERS_MS);
    }
  }
}

/**
 * Applies the migrations, one process at a time: on Postgres under an advisory lock, on SQLite because the whole run is
 * one immediate transaction.
 *
 * @param options  `last`: the last migration to apply, for tests and measurements that start from an earlier version;
 * `schema`: of Postgres, made if it is missing
 * @returns the names of the migrations that were applied now
 */
export async function migrateToLatest(
  db: Kysely<never>,
  kind: 'sqlite' | 'postgres',
  { last, schema }: { last?: string; schema?: string | undefined } = {},
): Promise<string[]> {
  const types = COLUMN_TYPES[kind];
  const migrations: Record<string, Migration> = {};
  for (const [name, step] of Object.entries(STEPS)) {
    const up = async (trx: Kysely<unknown>) => {
      if (kind === 'postgres')
        await sql.raw(`set local lock_timeout = ${LOCKED_OUT_MS}`).execute(trx);
      await (
        await step()
      )(trx, types);
    };
    migrations[name] = { up };
  }
  const { Migrator } = await import('kysely/migration');
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    ...(kind === 'postgres' && { migrationTableSchema: schema ?? (await findSchema(db)) }),
  });
  const { error, results } = await (last === undefined
    ? migrator.migrateToLatest()
    : migrator.migrateTo(last));
  if (error instanceof StoreError) {
    throw kind === 'postgres' && !wasLockedOut(error) ? explaining(error) : error;
  }
  if (error) throw toStoreError(error);
  return (results ?? []).map(({ migrationName }) => migrationName);
}

/** The schema to migrate: other installations in the same database have tables of the same names. */
async function findSchema(db: Kysely<never>): Promise<string> {
  const { rows } = await sql<{ schema: string | null }>`
    select current_schema() as schema`.execute(db);
  return rows[0]?.schema ?? 'public';
}

function toStoreError(cause: unknown): StoreError {
  const text = cause instanceof Error ? cause.message : String(cause);
  if (!text.includes('previously executed migration')) {
    return new StoreError('STORE_FAULT', `migrating the database failed: ${text}`, { cause });
  }
  return madeByNewerVersion(cause);
}

export function madeByNewerVersion(cause?: unknown): StoreError {
  return new StoreError(
    'STORE_TOO_NEW',
    'the database was made by a newer version of Belfry; start that version or restore a backup',
    { cause },
  );
}
