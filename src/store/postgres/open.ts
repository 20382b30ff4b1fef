import { Kysely } from 'kysely';
import pg from 'pg';
import type { Clock } from '#domain/clock';
import { Database, logStatements, type OnStatement } from '../database/database.ts';
import type { Databases } from '../database/databases.ts';
import { Semaphore } from '../database/semaphore.ts';
import type { Tables } from '../tables/tables.ts';
import { pooledPostgres } from './dialect.ts';
import { postgres } from '../sql/postgres.ts';

/**
 * The type bigint. node-postgres gives it as text; our values are milliseconds and counts, which a number holds
 * exactly.
 */
const INT8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
};

/**
 * Every statement reads a few rows by an index, even while its table is small. A plan made then is kept while the table
 * grows, so a sequential scan must never look cheaper. JIT compilation and memoization never pay off for so few rows: a
 * batch has each key once. Keys that are compared as rows (`hasKeyOf`) are looked up by their index only without
 * sequential scans, in tables of any size.
 */
const PLANNING_SETTINGS = [
  'random_page_cost = 1.1',
  'enable_seqscan = off',
  'enable_memoize = off',
  'jit = off',
];

/** The same settings as options of a connection, for tests that read plans. */
export const PLANNING = PLANNING_SETTINGS.map((each) => `-c ${each.replaceAll(' ', '')}`).join(' ');

/** The time limit of a connection's first statement, which detects one that died before its first use. */
const PREPARED_WITHIN_MS = 5_000;

/** The use of a pool's connections, and the limits that it needs. */
export interface PoolUse {
  /** The name in `pg_stat_activity`, after "belfry". */
  name: string;
  connections: number;
  /** The server cancels a statement after this time; 0 for no limit. */
  statementMs: number;
  /** The server cancels a wait for a lock after this time; 0 for no limit. */
  lockMs: number;
  isReadOnly?: boolean;
  /** Statements are planned once for each connection, for any values; otherwise the server may plan each execution. */
  keepsPlans?: boolean;
}

/**
 * Time limits by use, enforced by the server: it reports that a cancelled statement had no effect. Writes and reads by
 * a key touch few rows and are quick. A search may read a lot, but a page may take at most half a minute. A lease is
 * renewed sooner by trying another connection than by waiting.
 *
 * docs/guides/postgres.md lists these connections.
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
  // The server overestimates the kept plan of a claim once many jobs wait. Planning each claim takes half as long as
  // the claim itself.
  engine: { name: 'engine', connections: 5, statementMs: 6_000, lockMs: 5_000, keepsPlans: true },
  lease: { name: 'lease', connections: 1, statementMs: 4_000, lockMs: 3_000 },
  migrations: { name: 'migrations', connections: 1, statementMs: 0, lockMs: 0 },
} as const satisfies Record<string, PoolUse>;

/** How much longer than the server's own limit an answer is awaited. */
const ON_THE_WAY_MS = 1_000;

/** The wait for a permit is longer than a search should take, because a page runs several. */
const SEARCH_LIMITS = { permits: POOLS.searches.connections, mostWaiting: 50, waitMs: 5_000 };

/**
 * The settings of every connection. They are set by a statement and not in the startup message, because poolers refuse
 * unknown settings there.
 */
function sessionOf(
  { statementMs, lockMs, isReadOnly = false, keepsPlans = false }: PoolUse,
  schema: string | undefined,
): string {
  return [
    ...(schema === undefined ? [] : [`search_path = "${schema}"`]),
    ...PLANNING_SETTINGS,
    "default_transaction_isolation = 'read committed'",
    `default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`,
    `statement_timeout = ${statementMs}`,
    `lock_timeout = ${lockMs}`,
    // A frozen process must not keep rows locked that others wait for.
    "idle_in_transaction_session_timeout = '10s'",
  ]
    .map((each) => `set ${each}`)
    .concat(keepsPlans ? KEEP_PLANS : [])
    .join('; ');
}

/** Citus can't plan a claim without its values: it needs them to find the shard. */
const KEEP_PLANS = `
  select set_config('plan_cache_mode', case
    when exists (select 1 from pg_extension where extname = 'citus') then 'auto'
    else 'force_generic_plan' end, false)`;

export interface PostgresOptions {
  url: string;
  /** The schema of all tables; without it, the first of the connection's search path. */
  schema?: string | undefined;
  clock: Clock;
  /** Called for idle connections that break. */
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
 * Opens one pool. Connections that stop answering are detected by TCP keepalive, and by the time limits on connecting
 * and on answers (dialect.ts).
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
    // The pool awaits the promise, though its types don't say so, and closes the connection if it rejects.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client: pg.ClientBase) => void (await client.query(session)),
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced at its next use. Without a listener its error would end the process.
  pool.on('error', onFault);
  // A connection that breaks while in use fails its statement, so the caller gets the error; this event comes in
  // addition.
  pool.on('connect', (client) => client.on('error', () => {}));
  const answerMs = use.statementMs === 0 ? 0 : use.statementMs + ON_THE_WAY_MS;
  const db = new Kysely<Tables>({
    dialect: pooledPostgres(pool, answerMs),
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
