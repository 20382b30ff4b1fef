import { Client } from 'pg';

/** The clock of one database, which can be set ahead of the server's. */
export interface DatabaseClock extends AsyncDisposable {
  /** Sets the offset from the true time in milliseconds; 0 for the true time. */
  step(toMs: number): Promise<void>;
}

/**
 * Replaces each time function of Postgres by one of our own, whatever the search path. `current_timestamp` and
 * `localtime` are keywords and keep the true time.
 *
 * @param databaseUrl  of a scratch database, as a superuser; before anybody uses it
 */
export async function fakeDatabaseClock(databaseUrl: string): Promise<DatabaseClock> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    create schema fake;
    create table fake.clock (ahead interval not null);
    insert into fake.clock values ('0');
    grant usage on schema fake to public;
    grant select on fake.clock to public`);
  for (const [name, kind] of CLOCKS) {
    await client.query(`
      alter function pg_catalog.${name}() rename to true_${name};
      create function pg_catalog.${name}() returns timestamptz language sql ${kind} as
        'select pg_catalog.true_${name}() + (select ahead from fake.clock)'`);
  }
  return {
    step: async (toMs) => {
      await client.query('update fake.clock set ahead = make_interval(secs => $1)', [toMs / 1000]);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const CLOCKS = [
  ['clock_timestamp', 'volatile'],
  ['now', 'stable'],
  ['statement_timestamp', 'stable'],
  ['transaction_timestamp', 'stable'],
] as const;
