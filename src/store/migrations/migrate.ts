import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Dialect, DialectName, RunText } from '../database/dialect.ts';
import { wasLockedOut } from '../database/errors.ts';
import { readApplied } from './applied.ts';
import { ddlOf } from '../tables/ddl.ts';
import type { Tables } from '../tables/tables.ts';
import { TABLES } from '../tables/tables.ts';
import { BASELINE, type Migration, MIGRATIONS } from './migrations.ts';

type Db = Kysely<Tables>;

export interface MigrateOptions {
  /** Milliseconds since 1970 UTC. */
  now: number;
  /** The migrations after the baseline. Tests give others. */
  migrations?: readonly Migration[] | undefined;
  /** The schema on Postgres; it is created if it is missing. Default: the first of the search path. */
  schema?: string | undefined;
  /** Called once if a migration waits because others use a table that it changes (Postgres). */
  onTableAwaited: () => void;
}

/**
 * Creates the tables of an empty database, or applies pending migrations. Processes that start at the same time do it
 * once: on Postgres under an advisory lock, on SQLite because each transaction takes the write lock and looks again.
 *
 * @param database  on Postgres without time limits
 * @returns the names of the migrations that were applied now
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<string[]> {
  const { dialect } = database;
  const { migrations = MIGRATIONS } = options;
  const steps = [baselineFor(migrations, options.now), ...migrations];
  return database.kysely.connection().execute(async (db) => {
    const applied: string[] = [];
    const { lock, unlock } = LOCKING[dialect.name];
    await lock(db, options.schema);
    try {
      for (const step of steps) applied.push(...(await applyPatiently(db, dialect, step, options)));
    } finally {
      await unlock(db);
    }
    return applied;
  });
}

/** Tables are created in their newest form, so later migrations count as applied. */
function baselineFor(migrations: readonly Migration[], now: number): Migration {
  return {
    name: BASELINE,
    run: async (run, dialect) => {
      for (const table of TABLES) for (const text of ddlOf(table, dialect)) await run(text);
      for (const { name } of migrations)
        await run(`insert into migrations (name, applied_at) values ('${name}', ${now})`);
    },
  };
}

/** The longest wait for a table that others use: all later statements on the table wait behind it. */
const LOCKED_OUT_MS = 2_000;
/** Long enough for the statements that waited behind it. */
const LET_OTHERS_MS = 3_000;

/**
 * Tries again while others use a table that the migration changes, such as a `pg_dump`, for as long as that takes. It
 * uses the machine's own time, since it waits for another process.
 */
async function applyPatiently(
  db: Db,
  dialect: Dialect,
  migration: Migration,
  { now, onTableAwaited }: MigrateOptions,
): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    try {
      const work = (trx: Db) => apply(trx, dialect, migration, now);
      const isOnline = migration.isOnline && LOCKING[dialect.name].hasOnline;
      return await (isOnline ? work(db) : db.transaction().execute(work));
    } catch (error) {
      if (!wasLockedOut(error)) throw error;
      if (tries === 0) onTableAwaited();
      await delay(LET_OTHERS_MS);
    }
  }
}

async function apply(
  db: Db,
  dialect: Dialect,
  migration: Migration,
  now: number,
): Promise<string[]> {
  const before = await readApplied(db, dialect.name);
  if (before.includes(migration.name)) return [];
  const run: RunText = async (text) => (await sql.raw(text).execute(db)).rows;
  if (db.isTransaction) await LOCKING[dialect.name].limitLockWaits(run);
  await migration.run(run, dialect.name);
  await db.insertInto('migrations').values({ name: migration.name, applied_at: now }).execute();
  const after = await readApplied(db, dialect.name);
  return after.filter((name) => !before.includes(name));
}

interface Locking {
  lock: (db: Db, schema: string | undefined) => Promise<void>;
  unlock: (db: Db) => Promise<void>;
  limitLockWaits: (run: RunText) => Promise<unknown>;
  /** Whether a change can be made while others write. */
  hasOnline: boolean;
}

const LOCKING: Record<DialectName, Locking> = {
  postgres: {
    lock: lockSchema,
    unlock: unlockSchema,
    limitLockWaits: (run) => run(`set local lock_timeout = ${LOCKED_OUT_MS}`),
    hasOnline: true,
  },
  // Each transaction takes the write lock.
  sqlite: {
    lock: async () => {},
    unlock: async () => {},
    limitLockWaits: async () => {},
    hasOnline: false,
  },
};

const ASK_EVERY_MS = 200;

/**
 * Takes the lock of a schema, which is created if it is missing. It polls, because a wait inside a statement would keep
 * a snapshot, for whose end `create index concurrently` in another process waits.
 */
async function lockSchema(db: Db, schema: string | undefined): Promise<void> {
  const name = sql`coalesce(${schema ?? null}::text, current_schema(), 'public')`;
  const ask = sql<{ isTaken: boolean }>`
    select pg_try_advisory_lock(hashtextextended('belfry migrations ' || ${name}, 0)) as "isTaken"`;
  while (!(await ask.execute(db)).rows[0]?.isTaken) await delay(ASK_EVERY_MS);
  if (schema === undefined) return;
  const { rows } = await sql`select from pg_namespace where nspname = ${schema}`.execute(db);
  if (rows.length === 0) await sql`create schema ${sql.id(schema)}`.execute(db);
}

/** If the connection has broken, the server has released the lock. */
async function unlockSchema(db: Db): Promise<void> {
  await sql`select pg_advisory_unlock_all()`.execute(db).catch(() => {});
}
