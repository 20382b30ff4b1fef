import { Client } from 'pg';
import { createDatabase, type TestDatabase } from './postgres.ts';

/** Above this size, making a new copy is faster than emptying the old one. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Emptied copies of a template that this process no longer uses. They are deleted with the server. */
const idle = new Map<string, TestDatabase[]>();

/**
 * Lends a copy of a migrated template. Giving it back empties it: that takes a few milliseconds, copying a hundred.
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

/** Empties every table except those of the migrations. False for a database that should be dropped instead. */
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
    // Another connection may still write after the emptying.
    if (!state || state.others > 0 || state.bytes > MOST_BYTES) return false;
    // Partitions depend on the time, and the next borrower uses another one.
    const isPartition = (table: string) => /^ended_jobs_\d/.test(table);
    const deletions = state.tables.map((table) =>
      isPartition(table) ? `drop table ${table};` : `delete from ${table};`,
    );
    // In the replica role foreign keys are not checked, so tables can be emptied in any order.
    await client.query(`set session_replication_role = replica; ${deletions.join(' ')}`);
    return true;
  } finally {
    await client.end();
  }
}
