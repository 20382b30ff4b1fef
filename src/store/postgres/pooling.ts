import pg from 'pg';
import { StoreError } from '../database/errors.ts';
import { explaining } from './explain.ts';

const LIMIT_MS = 5_000;

/**
 * A pooler such as PgBouncer with `pool_mode = transaction` loses prepared statements, `LISTEN` and settings. Run
 * before anything is set: settings would stay with its connections.
 */
export async function refuseTransactionPooling(url: string): Promise<void> {
  const isPooled = await isPooledByTransaction(url).catch((error: unknown) => {
    throw explaining(StoreError.fromConnecting(error));
  });
  if (isPooled) {
    throw new StoreError('STORE_POOLED', `Postgres ${TRANSACTION_POOLING}`);
  }
}

/** Follows the server's name. */
export const TRANSACTION_POOLING =
  'is behind a pooler that assigns connections to single transactions; set its pool_mode to session (PgBouncer), or let DATABASE_URL lead to the server itself';

/** A pooler by transaction serves the second connection with the process of the first. */
export async function isPooledByTransaction(url: string): Promise<boolean> {
  const [one, other] = [makeClient(url, 'start'), makeClient(url, 'start')];
  try {
    await one.connect();
    await other.connect();
    const first = await readProcess(one);
    // Differs if the pooler takes connections in turn.
    if ((await readProcess(one)) !== first) return true;
    await other.query('begin');
    if ((await readProcess(other)) === first) return true;
    return (await readProcess(one)) !== first;
  } finally {
    // The server may have stopped answering.
    for (const client of [one, other]) void client.end().catch(() => {});
  }
}

/** For a few statements outside of the pools; each fails without an answer in time. */
export function makeClient(
  connectionString: string,
  use: 'start' | 'doctor' | 'signals',
): pg.Client {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: LIMIT_MS,
    query_timeout: LIMIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: `belfry ${use}`,
  });
  // Without a listener, a broken idle connection would end the process.
  client.on('error', () => {});
  return client;
}

async function readProcess(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}
