import pg from 'pg';
import { eventually } from './process.ts';
import { postgresUrl, type TestStore } from './stores.ts';

/** A transaction of another connection, which keeps its row locks until it or the test ends. */
interface Holder extends AsyncDisposable {
  query(text: string, values?: readonly unknown[]): Promise<void>;
  /** Waits until another transaction waits for a row of this one. */
  untilSomebodyWaits(): Promise<void>;
  /** Starts work that waits for a row of this one, again if it gave up before somebody saw it wait. */
  untilWaiting<Result>(start: () => Promise<Result>): Promise<{ work: Promise<Result> }>;
}

/** Opens a transaction on the store's Postgres, with a connection of its own. */
export async function holdRows(store: Pick<TestStore, 'location'>): Promise<Holder> {
  const connectionString = postgresUrl(store);
  const [client, watcher] = [1, 2].map(() => new pg.Client({ connectionString }));
  if (!client || !watcher) throw new Error('no client');
  await Promise.all([client.connect(), watcher.connect()]);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  await client.query('begin');
  const blocks = async () => {
    const { rowCount } = await watcher.query(
      'select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
      [rows[0]?.pid],
    );
    return rowCount !== 0;
  };
  return {
    query: async (text, values = []) => {
      await client.query(text, [...values]);
    },
    untilSomebodyWaits: async () => {
      await eventually(blocks, { what: 'somebody to wait' });
    },
    untilWaiting: (start) => {
      let hasEnded = true;
      let work: ReturnType<typeof start>;
      return eventually(
        async () => {
          if (hasEnded) {
            hasEnded = false;
            work = start().finally(() => {
              hasEnded = true;
            });
          }
          return (await blocks()) ? { work } : null;
        },
        { what: 'the work to wait' },
      );
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([client.end(), watcher.end()]);
    },
  };
}
