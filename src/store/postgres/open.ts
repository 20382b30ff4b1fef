import pg from 'pg';
import type { Clock } from '#domain/base/clock';
import { Database } from '../database/database.ts';
import type { Databases } from '../database/databases.ts';
import { Semaphore } from '../database/semaphore.ts';
import type { OnStatement } from '../database/runner.ts';
import { connectionsOf } from './connections.ts';
import { postgres } from '../sql/postgres.ts';

/** Bigint: our milliseconds and counts fit into a number. */
const INT8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
};

/**
 * Statements read a few rows by an index. A plan made while a table is small is kept as it grows, so a sequential scan
 * must never look cheaper. JIT and memoization don't pay off for few rows.
 */
const PLANNING_SETTINGS = [
  'random_page_cost = 1.1',
  'enable_seqscan = off',
  'enable_memoize = off',
  'jit = off',
];

export const PLANNING = PLANNING_SETTINGS.map((each) => `-c ${each.replaceAll(' ', '')}`).join(' ');

/** Detects a connection that died before its first use. */
const PREPARED_WITHIN_MS = 5_000;

interface PoolUse {
  /** The connection's `application_name` is "belfry" and this name. */
  name: string;
  connections: number;
  /** 0 for no limit. */
  statementMs: number;
  /** 0 for no limit. */
  lockMs: number;
  isReadOnly?: boolean;
  /** Planned once for any values; otherwise the server may plan each execution. */
  keepsPlans?: boolean;
}

/**
 * Enforced by the server, so a cancelled statement is known to have had no effect. A page may take half a minute. A
 * lease is renewed sooner by another connection than by waiting.
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
  // The server overestimates a claim's kept plan once many jobs wait. Planning takes half as long as the claim.
  engine: { name: 'engine', connections: 5, statementMs: 6_000, lockMs: 5_000, keepsPlans: true },
  lease: { name: 'lease', connections: 1, statementMs: 4_000, lockMs: 3_000 },
  migrations: { name: 'migrations', connections: 1, statementMs: 0, lockMs: 0 },
} as const satisfies Record<string, PoolUse>;

const ON_THE_WAY_MS = 1_000;

/** Longer than a search should take, because a page runs several. */
const SEARCH_LIMITS = { permits: POOLS.searches.connections, mostWaiting: 50, waitMs: 5_000 };

/** By a statement, because poolers refuse unknown settings in the startup message. */
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
    // A frozen process must not keep rows locked.
    "idle_in_transaction_session_timeout = '10s'",
  ]
    .map((each) => `set ${each}`)
    .concat(keepsPlans ? KEEP_PLANS : [])
    .join('; ');
}

/** Citus needs a claim's values to find the shard. */
const KEEP_PLANS = `
  select set_config('plan_cache_mode', case
    when exists (select 1 from pg_extension where extname = 'citus') then 'auto'
    else 'force_generic_plan' end, false)`;

export interface PostgresOptions {
  url: string;
  schema?: string | undefined;
  clock: Clock;
  onFault: (error: Error) => void;
  onStatement?: OnStatement | undefined;
}

/** Connections are made when first wanted. */
export function openPostgres(options: PostgresOptions): Databases {
  return {
    main: openPool(options, POOLS.main),
    searches: openPool(options, POOLS.searches, new Semaphore(SEARCH_LIMITS, options.clock)),
    engine: openPool(options, POOLS.engine),
    lease: openPool(options, POOLS.lease),
  };
}

/** TCP keepalive and time limits detect dead connections. */
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
  // A broken idle connection is replaced. Without a listener its error would end the process.
  pool.on('error', onFault);
  // The statement's caller gets the error too.
  pool.on('connect', (client) => client.on('error', () => {}));
  const answerMs = use.statementMs === 0 ? 0 : use.statementMs + ON_THE_WAY_MS;
  const connections = connectionsOf(pool, answerMs);
  return new Database({
    dialect: postgres,
    writer: connections,
    reader: connections,
    release: () => pool.end(),
    onStatement,
    ...(semaphore && { semaphore }),
  });
}
