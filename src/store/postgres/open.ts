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
const PLANNING_SETTINGS = ['random_page_cost = 1.1', 'enable_seqscan = off', 'jit = off'];

/** The same as the options of a connection: for tests that look at plans. */
export const PLANNING = PLANNING_SETTINGS.map((each) => `-c ${each.replaceAll(' ', '')}`).join(' ');

/** A connection that has died before it was ever of use is found by this. */
const PREPARED_WITHIN_MS = 5_000;

/**
 * What every connection begins with: said in it and not asked for at its start, because poolers turn away
 * what they do not know there.
 *
 * A wait for somebody's lock ends while its answer is still awaited (dialect.ts). Otherwise what was given up
 * here, and answered with 503, would be carried out when the lock is free.
 */
const SESSION = [
  ...PLANNING_SETTINGS,
  "default_transaction_isolation = 'read committed'",
  "statement_timeout = '55s'",
  "lock_timeout = '5s'",
  // A frozen process must not hold rows that others wait for.
  "idle_in_transaction_session_timeout = '10s'",
]
  .map((each) => `set ${each}`)
  .join('; ');

/** The pool gives a connection up where this fails. */
async function prepareSession(client: pg.ClientBase): Promise<void> {
  const query = { text: SESSION, query_timeout: PREPARED_WITHIN_MS };
  await client.query(query);
}

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
    application_name: 'belfry',
    // The pool waits for the promise, though its types don't say so.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: prepareSession,
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
