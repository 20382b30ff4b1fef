import { Client } from 'pg';
import { createDatabase, type TestDatabase } from './postgres.ts';

/** Above this a new copy is made sooner than the old one is emptied. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Copies of a template that this process has made and is done with, emptied. The server takes them along when it ends. */
const idle = new Map<string, TestDatabase[]>();

/**
 * Lends a copy of a migrated template that nobody else uses. Giving it back empties it: that takes a few
 * milliseconds, where copying takes a hundred.
 *
 * @returns a database whose `drop` gives it back
 */
export async function borrowDatabase(template: string): Promise<TestDatabase> {
  const database = idle.get(template)?.pop() ?? (await createDatabase(template));
  const giveBack = async () => {
    if (await empty(database.url)) idle.set(template, [...(idle.get(template) ?? []), database]);
    else await database.drop();
  };
  return { url: database.url, drop: giveBack, [Symbol.asyncDispose]: giveBack };
}

/** Empties every table but those of the migrations; false for a database that had better be dropped. */
async function empty(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ others: number; bytes: number; tables: string[] }>(`
      select (select count(*)::int from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()) as others,
        pg_database_size(current_database())::float8 as bytes,
        array(select quote_ident(tablename) from pg_tables
          where schemaname = 'public' and tablename not like 'kysely%') as tables`);
    const [state] = rows;
    // Whoever is still connected may write after the emptying.
    if (!state || state.others > 0 || state.bytes > MOST_BYTES) return false;
    // Partitions are of a time: the next who borrows it has another.
    const isPartition = (table: string) => /^ended_jobs_\d/.test(table);
    const deletions = state.tables.map((table) =>
      isPartition(table) ? `drop table ${table};` : `delete from ${table};`,
    );
    // As a replica: the order of the tables does not matter to foreign keys then.
    await client.query(`set session_replication_role = replica; ${deletions.join(' ')}`);
    return true;
  } finally {
    await client.end();
  }
}
