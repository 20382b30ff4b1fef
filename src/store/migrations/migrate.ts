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

interface MigrateOptions {
  now: number;
  /** Only tests set this. */
  migrations?: readonly Migration[] | undefined;
  /** Created if missing. Default: the first of the search path. */
  schema?: string | undefined;
  /** Others use a table that a migration changes (Postgres). */
  onTableAwaited: () => void;
}

/**
 * Simultaneous processes do it once: under an advisory lock on Postgres, in write transactions on SQLite.
 * @param database on Postgres without time limits
 * @returns the names applied now
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<string[]> {
  const { dialect } = database;
  const { migrations = MIGRATIONS } = options;
  const steps = [baselineFor(migrations, options.now), ...migrations];
  return database.kysely.connection().execute(async (db) => {
    const applied: string[] = [];
    const locking = LOCKING[dialect.name];
    await locking?.lock(db, options.schema);
    try {
      for (const step of steps) applied.push(...(await applyPatiently(db, dialect, step, options)));
    } finally {
      await locking?.unlock(db);
    }
    return applied;
  });
}

/** Tables are created in their newest form. */
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

/** Later statements on the table wait behind it. */
const LOCKED_OUT_MS = 2_000;
/** For the statements that waited. */
const LET_OTHERS_MS = 3_000;

/**
 * Waits as long as others, such as a `pg_dump`, use the table. On the machine's own time, since it waits for another
 * process.
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
      const isOnline = migration.isOnline && LOCKING[dialect.name] !== null;
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
  if (db.isTransaction) await LOCKING[dialect.name]?.limitLockWaits(run);
  await migration.run(run, dialect.name);
  await db.insertInto('migrations').values({ name: migration.name, applied_at: now }).execute();
  const after = await readApplied(db, dialect.name);
  return after.filter((name) => !before.includes(name));
}

interface Locking {
  lock: (db: Db, schema: string | undefined) => Promise<void>;
  unlock: (db: Db) => Promise<void>;
  limitLockWaits: (run: RunText) => Promise<unknown>;
}

/** On SQLite each transaction takes the write lock, and none is online. */
const LOCKING: Record<DialectName, Locking | null> = {
  postgres: {
    lock: lockSchema,
    unlock: unlockSchema,
    limitLockWaits: (run) => run(`set local lock_timeout = ${LOCKED_OUT_MS}`),
  },
  sqlite: null,
};

const ASK_EVERY_MS = 200;

/** Polls, because a wait inside a statement would keep a snapshot that `create index concurrently` waits for. */
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
