import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { createDatabase, type TestDatabase } from './postgres.ts';

/** Above this size, making a new copy is faster than emptying the old one. */
const MOST_BYTES = 32 * 1024 * 1024;

/** While connections to it are open. */
const MOST_LOOKS = 10;
const LOOK_EVERY_MS = 5;

/** Its types lack what it has: an idle one must not keep the process alive. */
type Cleaner = Client & { ref(): void; unref(): void };

interface Copy {
  database: TestDatabase;
  /** Kept, because a new one would first read the catalogs anew. Null before the first. */
  cleaner: Cleaner | null;
}

/** Emptied copies of a template that this process no longer uses. They are deleted with the server. */
const idle = new Map<string, Copy[]>();

/**
 * Lends a copy of a migrated template. Giving it back empties it: that takes a few milliseconds, copying a hundred.
 *
 * @returns a database whose `drop` gives it back
 */
export async function borrowDatabase(template: string): Promise<TestDatabase> {
  const copy = idle.get(template)?.pop() ?? {
    database: await createDatabase(template),
    cleaner: null,
  };
  const { database } = copy;
  const giveBack = async () => {
    if (await empty(copy)) idle.set(template, [...(idle.get(template) ?? []), copy]);
    else await database.drop();
  };
  return { url: database.url, drop: giveBack, [Symbol.asyncDispose]: giveBack };
}

/**
 * Empties every table that has or had rows, except those of the migrations. False for a database that should
 * be dropped instead.
 */
async function empty(copy: Copy): Promise<boolean> {
  const cleaner = (copy.cleaner ??= await connectCleaner(copy));
  cleaner.ref();
  // Another connection may still write after the emptying.
  if (!(await isAlone(cleaner))) return abandon(cleaner);
  const { rows } = await cleaner.query<{ bytes: number; tables: string[] }>(`
    select pg_database_size(current_database())::float8 as bytes,
      array(select quote_ident(relname) from pg_class
        where relnamespace = 'public'::regnamespace and relname <> 'migrations' and
          relkind = 'r' and (relname ~ '^ended_jobs_\\d' or pg_relation_size(oid) > 0)) as tables`);
  const [state] = rows;
  if (!state || state.bytes > MOST_BYTES) return abandon(cleaner);
  // Partitions depend on the time, and the next borrower uses another one.
  const isPartition = (table: string) => /^ended_jobs_\d/.test(table);
  const deletions = state.tables.map((table) =>
    isPartition(table) ? `drop table ${table};` : `delete from ${table};`,
  );
  await cleaner.query(deletions.join(' '));
  cleaner.unref();
  return true;
}

/** Waits a moment for connections that are being closed. */
async function isAlone(cleaner: Client): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const { rows } = await cleaner.query(`select 1 from pg_stat_get_activity(null)
      where datid = (select oid from pg_database where datname = current_database())
        and pid <> pg_backend_pid()`);
    if (rows.length === 0 || tries === MOST_LOOKS) return rows.length === 0;
    await delay(LOOK_EVERY_MS);
  }
}

async function abandon(cleaner: Client): Promise<false> {
  await cleaner.end();
  return false;
}

async function connectCleaner(copy: Copy): Promise<Cleaner> {
  const cleaner = new Client({ connectionString: copy.database.url }) as Cleaner;
  // A test may end all connections to its database.
  cleaner.once('error', () => (copy.cleaner = null));
  await cleaner.connect();
  // In the replica role foreign keys are not checked, so tables can be emptied in any order.
  await cleaner.query('set session_replication_role = replica');
  return cleaner;
}
