import pg from 'pg';
import { StoreError } from '../database/errors.ts';
import { explaining } from './explain.ts';

const LIMIT_MS = 5_000;

/**
 * Refuses a pooler that assigns server connections to single transactions, such as PgBouncer with `pool_mode =
 * transaction`: prepared statements, `LISTEN` and session settings would be lost or affect others. Run before anything
 * is set, because settings would stay with the pooler's connections.
 */
export async function refuseTransactionPooling(url: string): Promise<void> {
  if (await isPooledByTransaction(url).catch(rejectExplained)) {
    throw new StoreError('STORE_POOLED', `Postgres ${TRANSACTION_POOLING}`);
  }
}

/** The text follows the server's name. */
export const TRANSACTION_POOLING =
  'is behind a pooler that assigns connections to single transactions; set its pool_mode to session (PgBouncer), or let DATABASE_URL lead to the server itself';

/**
 * Compares the server processes behind two connections. A pooler by transaction serves the second connection with the
 * server process that the first one has just used, and the first one then with another. A pooler by session, or none,
 * keeps a process for each connection.
 */
export async function isPooledByTransaction(url: string): Promise<boolean> {
  const [one, other] = [makeClient(url), makeClient(url)];
  try {
    await one.connect();
    await other.connect();
    const first = await readProcess(one);
    // Differs if the pooler takes its connections in turn.
    if ((await readProcess(one)) !== first) return true;
    await other.query('begin');
    if ((await readProcess(other)) === first) return true;
    return (await readProcess(one)) !== first;
  } finally {
    // Not awaited: the server may have stopped answering.
    for (const client of [one, other]) void client.end().catch(() => {});
  }
}

function makeClient(connectionString: string): pg.Client {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: LIMIT_MS,
    query_timeout: LIMIT_MS,
    application_name: 'belfry start',
  });
  // Without a listener, a connection that breaks while idle would end the process.
  client.on('error', () => {});
  return client;
}

async function readProcess(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

function rejectExplained(error: unknown): never {
  throw explaining(StoreError.fromConnecting(error));
}
