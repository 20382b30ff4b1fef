import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, inTransaction } from '../database/connections.ts';
import type { Database } from '../database/database.ts';
import type { Dialect, DialectName, RunText } from '../database/dialect.ts';
import { wasLockedOut } from '../database/errors.ts';
import { findApplied } from './applied.ts';
import { ddlOf } from '../tables/ddl.ts';
import { TABLES } from '../tables/tables.ts';
import { BASELINE, type Migration, MIGRATIONS } from './migrations.ts';

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
  return database.hold(async (connection) => {
    const run: RunText = async (text) => (await connection.run(text, [])).rows;
    const applied: string[] = [];
    const locking = LOCKING[dialect.name];
    await locking?.lock(run, options.schema);
    try {
      for (const step of steps)
        applied.push(...(await applyPatiently(connection, dialect, step, options)));
    } finally {
      await locking?.unlock(run);
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
      for (const each of migrations) await run(recordOf(each, now));
    },
  };
}

function recordOf({ name }: Migration, now: number): string {
  return `insert into migrations (name, applied_at) values ('${name}', ${now})`;
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
  connection: Connection,
  dialect: Dialect,
  migration: Migration,
  { now, onTableAwaited }: MigrateOptions,
): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    try {
      const isOnline = migration.isOnline === true && LOCKING[dialect.name] !== null;
      const work = () => apply(connection, dialect, migration, { now, isOnline });
      return await (isOnline ? work() : inTransaction(connection, work));
    } catch (error) {
      if (!wasLockedOut(error)) throw error;
      if (tries === 0) onTableAwaited();
      await delay(LET_OTHERS_MS);
    }
  }
}

async function apply(
  connection: Connection,
  dialect: Dialect,
  migration: Migration,
  { now, isOnline }: { now: number; isOnline: boolean },
): Promise<string[]> {
  const run: RunText = async (text) => (await connection.run(text, [])).rows;
  const before = await findApplied(run, dialect.name);
  if (before.includes(migration.name)) return [];
  if (!isOnline) await LOCKING[dialect.name]?.limitLockWaits(run);
  await migration.run(run, dialect.name);
  await run(recordOf(migration, now));
  const after = await findApplied(run, dialect.name);
  return after.filter((name) => !before.includes(name));
}

interface Locking {
  lock: (run: RunText, schema: string | undefined) => Promise<void>;
  unlock: (run: RunText) => Promise<void>;
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
async function lockSchema(run: RunText, schema: string | undefined): Promise<void> {
  const name = schema === undefined ? "coalesce(current_schema(), 'public')" : `'${schema}'`;
  const ask = `select where pg_try_advisory_lock(hashtextextended('belfry migrations ' || ${name}, 0))`;
  while ((await run(ask)).length === 0) await delay(ASK_EVERY_MS);
  if (schema === undefined) return;
  const present = await run(`select from pg_namespace where nspname = '${schema}'`);
  if (present.length === 0) await run(`create schema "${schema}"`);
}

/** If the connection has broken, the server has released the lock. */
async function unlockSchema(run: RunText): Promise<void> {
  await run('select pg_advisory_unlock_all()').catch(() => {});
}
