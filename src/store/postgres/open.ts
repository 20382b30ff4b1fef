import { Kysely } from 'kysely';
import pg from 'pg';
import { Database, logStatements, type OnStatement } from '../database.ts';
import type { Tables } from '../schema.ts';
import { PooledPostgresDialect } from './dialect.ts';

/** bigint arrives as text; ours are milliseconds and counts, which a number holds exactly. */
const INT8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
};

/**
 * Every statement here reads a few rows by an index, also on a table that is still small: a plan made then
 * is kept while the table grows, so reading a table through must never look cheaper. Nor does compiling a
 * plan ever pay for itself on so few rows.
 */
export const PLANNING = '-c random_page_cost=1.1 -c enable_seqscan=off -c jit=off';

/**
 * Opens a pool. Connections that stop answering are found by TCP keepalive and by the limits on
 * connecting and on the answer to a statement (dialect.ts).
 */
export function openPostgres(
  url: string,
  onFault: (error: Error) => void,
  onStatement?: OnStatement,
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 55_000,
    // A frozen process must not hold rows that others wait for.
    idle_in_transaction_session_timeout: 10_000,
    application_name: 'belfry',
    options: PLANNING,
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced at its next use; unheard, its error would end the process.
  pool.on('error', onFault);
  // One that breaks while in use fails its statement, which is told where that was asked; the event comes besides.
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({
    dialect: new PooledPostgresDialect(pool),
    ...logStatements(onStatement),
  });
  return new Database('postgres', db, db, () => pool.end());
}
