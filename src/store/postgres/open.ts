import { Kysely } from 'kysely';
import pg from 'pg';
import type { Clock } from '#domain/clock';
import { Database, logStatements, type OnStatement } from '../database/database.ts';
import type { Databases } from '../database/databases.ts';
import { Semaphore } from '../database/semaphore.ts';
import type { Tables } from '../database/schema.ts';
import { PooledPostgresDialect } from './dialect.ts';
import { postgres } from './sql.ts';

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

/** What a pool's connections are for, and the limits that follow from it. */
export interface PoolUse {
  /** In `pg_stat_activity`, behind "belfry". */
  name: string;
  connections: number;
  /** The server ends a statement after this; 0 lets it take its time. */
  statementMs: number;
  /** The server ends a wait for somebody's lock after this; 0 for none. */
  lockMs: number;
  isReadOnly?: boolean;
}

/**
 * Limits by what statements are for, held by the server: what it has cancelled it has not done, and says so.
 * What writes, or reads by a key, touches few rows and is quick; a search may read a lot, and nobody waits for a
 * page longer than half a minute. A lease is renewed sooner over another connection than by waiting.
 *
 * docs/operating.md (Postgres) counts these connections.
 */
export const POOLS = {
  main: { name: 'main', connections: 5, statementMs: 6_000, lockMs: 5_000 },
  searches: {
    name: 'searches',
    connections: 3,
    statementMs: 25_000,
    lockMs: 5_000,
    isReadOnly: true,
  },
  engine: { name: 'engine', connections: 5, statementMs: 6_000, lockMs: 5_000 },
  lease: { name: 'lease', connections: 1, statementMs: 4_000, lockMs: 3_000 },
  migrations: { name: 'migrations', connections: 2, statementMs: 0, lockMs: 0 },
} as const satisfies Record<string, PoolUse>;

/** How much longer an answer is awaited than the server takes to give up by itself. */
const ON_THE_WAY_MS = 1_000;

/** Who waits for a permit waits longer than a search should take; a page asks several. */
const SEARCH_LIMITS = { permits: POOLS.searches.connections, mostWaiting: 50, waitMs: 5_000 };

/**
 * What every connection begins with: said in it and not asked for at its start, because poolers turn away
 * what they do not know there.
 */
function sessionOf(
  { statementMs, lockMs, isReadOnly = false }: PoolUse,
  schema: string | undefined,
): string {
  return [
    ...(schema === undefined ? [] : [`search_path = "${schema}"`]),
    ...PLANNING_SETTINGS,
    "default_transaction_isolation = 'read committed'",
    `default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`,
    `statement_timeout = ${statementMs}`,
    `lock_timeout = ${lockMs}`,
    // A frozen process must not hold rows that others wait for.
    "idle_in_transaction_session_timeout = '10s'",
  ]
    .map((each) => `set ${each}`)
    .join('; ');
}

export interface PostgresOptions {
  url: string;
  /** Where all tables are; without it where the connection's search path says. */
  schema?: string | undefined;
  clock: Clock;
  /** Told of idle connections that break. */
  onFault: (error: Error) => void;
  onStatement?: OnStatement | undefined;
}

/** Opens a pool for each use; connections are made when they are first wanted. */
export function openPostgres(options: PostgresOptions): Databases {
  return {
    main: openPool(options, POOLS.main),
    searches: openPool(options, POOLS.searches, new Semaphore(SEARCH_LIMITS, options.clock)),
    engine: openPool(options, POOLS.engine),
    lease: openPool(options, POOLS.lease),
  };
}

/**
 * Opens one pool. Connections that stop answering are found by TCP keepalive and by the limits on
 * connecting and on the answer to a statement (dialect.ts).
 */
export function openPool(
  { url, schema, onFault, onStatement }: Omit<PostgresOptions, 'clock'>,
  use: PoolUse,
  semaphore?: Semaphore,
): Database {
  const session = { text: sessionOf(use, schema), query_timeout: PREPARED_WITHIN_MS };
  const pool = new pg.Pool({
    connectionString: url,
    max: use.connections,
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    application_name: `belfry ${use.name}`,
    // The pool waits for the promise, though its types don't say so, and gives the connection up where it fails.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client: pg.ClientBase) => void (await client.query(session)),
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced at its next use; unheard, its error would end the process.
  pool.on('error', onFault);
  // One that breaks while in use fails its statement, which is told where that was asked; the event comes besides.
  pool.on('connect', (client) => client.on('error', () => {}));
  const answerMs = use.statementMs === 0 ? 0 : use.statementMs + ON_THE_WAY_MS;
  const db = new Kysely<Tables>({
    dialect: new PooledPostgresDialect(pool, answerMs),
    ...logStatements(onStatement),
  });
  return new Database({
    dialect: postgres,
    writer: db,
    reader: db,
    release: () => pool.end(),
    ...(semaphore && { semaphore }),
  });
}
