import pg from 'pg';
import type { Clock } from '#domain/clock';
import type { Holding, Inspection } from '../database/inspection.ts';
import { IS_ENDED } from '../figures/outcomes.ts';
import { UNRELEASED, UNRELEASED_TABLE } from '../migrations/applied.ts';
import { compareMigrations } from '../migrations/migrations.ts';
import { KEY_CHECK } from '../database/seal.ts';
import { findOldSnapshots } from './old-snapshots.ts';
import { isPooledByTransaction, TRANSACTION_POOLING } from './pooling.ts';
import { coveredMs, findSpans, PARENT } from './partitions.ts';
import { countJobsFromLater, countPlannedTooLate, readTimes } from '../crons/planned-times.ts';
import { STRANGE_SIGN_INS } from '../nodes/strange-sign-ins.ts';
import { UNTRUSTED_HEADERS } from '../nodes/untrusted-headers.ts';
import { MINUTE_MS } from '#domain/instant';

const LIMIT_MS = 5000;
const WEEK_MS = 7 * 86_400_000;

/** Examines a Postgres database. Rejects with the error of node-postgres if the server can't be reached. */
export async function inspectPostgres(
  { url, schema }: { url: string; schema?: string },
  clock: Clock,
): Promise<Inspection> {
  if (await isPooledByTransaction(url)) {
    return { kind: 'unreachable', reason: TRANSACTION_POOLING };
  }
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: LIMIT_MS,
    query_timeout: LIMIT_MS,
    application_name: 'belfry doctor',
  });
  // Without a listener, a connection that breaks while idle would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    if (schema !== undefined) await client.query(`set search_path = "${schema}"`);
    const untrustedHeader = await readFact(client, UNTRUSTED_HEADERS.key);
    const strangeSignIn = await readFact(client, STRANGE_SIGN_INS.key);
    const clockOffsetMs = await readClockOffset(client, clock);
    if (await hasTable(client, UNRELEASED_TABLE))
      return { kind: 'unreachable', reason: UNRELEASED };
    const ask = async (text: string) => (await client.query(text)).rows;
    return {
      kind: 'found',
      ...compareMigrations(await readColumn(client, 'migrations', READ_NAMES, [])),
      writeFault: await findWriteFault(client),
      damage: null,
      clockOffsetMs,
      sealedKeyCheck: await readFact(client, KEY_CHECK),
      engines: await countEngines(client),
      server: await readServerSettings(client),
      oldSnapshots: await findOldSnapshots(ask),
      partitionsAheadMs: (await hasTable(client, PARENT))
        ? coveredMs(await findSpans(ask), clock.now() + clockOffsetMs)
        : null,
      plannedAhead: await readPlannedAhead(client, clock.now() + clockOffsetMs),
      holding: await readHolding(client, clock.now()),
      untrustedForwarding:
        untrustedHeader === null ? null : UNTRUSTED_HEADERS.read(untrustedHeader),
      strangeSignIn: strangeSignIn === null ? null : STRANGE_SIGN_INS.read(strangeSignIn),
    };
  } finally {
    // Not awaited: the server may have stopped answering.
    void client.end().catch(() => {});
  }
}

const READ_NAMES = 'select name as value from migrations order by name';
const READ_FACT = 'select value from installation where key = $1';

/** The value of a key in the table `installation`. */
async function readFact(client: pg.Client, key: string): Promise<string | null> {
  return (await readColumn(client, 'installation', READ_FACT, [key]))[0] ?? null;
}

/** The single column of a statement's rows; empty if its table does not exist yet. */
async function readColumn(
  client: pg.Client,
  table: string,
  statement: string,
  parameters: string[],
): Promise<string[]> {
  if (!(await hasTable(client, table))) return [];
  const found = await client.query<{ value: string }>(statement, parameters);
  return found.rows.map(({ value }) => value);
}

async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    'select to_regclass($1) is not null as exists',
    [name],
  );
  return rows[0]?.exists === true;
}

/** A node renews its row every few seconds; one that died leaves it until another engine deletes it. */
async function countEngines(client: pg.Client): Promise<number> {
  const alive =
    'select id::text as value from nodes where lease_until > extract(epoch from clock_timestamp()) * 1000';
  return (await readColumn(client, 'nodes', alive, [])).length;
}

async function readServerSettings(client: pg.Client) {
  const { rows } = await client.query<{ synchronous_commit: string; autovacuum: string }>(
    `select current_setting('synchronous_commit') as synchronous_commit,
      current_setting('autovacuum') as autovacuum`,
  );
  const { synchronous_commit: synchronousCommit = '', autovacuum = '' } = rows[0] ?? {};
  return { synchronousCommit, autovacuum };
}

async function readPlannedAhead(client: pg.Client, now: number) {
  if (!(await hasTable(client, 'crons'))) return { crons: 0, jobs: 0 };
  const times = await client.query<{ cron_expression: string; next_run_at: string }>(
    readTimes('$1'),
    [now],
  );
  const later = await client.query<{ jobs: string }>(countJobsFromLater('$1'), [now + MINUTE_MS]);
  return { crons: countPlannedTooLate(times.rows, now), jobs: Number(later.rows[0]?.jobs) };
}

async function readHolding(client: pg.Client, now: number): Promise<Holding | null> {
  if (!(await hasTable(client, 'ended_executions'))) return null;
  const counted = [runsOfWeek('outcome_hours')];
  if (await hasTable(client, 'batch_counts'))
    counted.push(runsOfWeek('batch_counts', `and ${IS_ENDED}`));
  const { rows } = await client.query<{ bytes: number; runs: number; week: number }>(
    `select sum(pg_total_relation_size(oid))::double precision as bytes,
      coalesce(sum(greatest(reltuples, 0)) filter (where relname like 'ended\\_%'), 0)::double precision as runs,
      (${counted.join(' + ')})::double precision as week
    from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
    [now - WEEK_MS],
  );
  const { bytes = 0, runs = 0, week = 0 } = rows[0] ?? {};
  return { bytes, endedRuns: runs, runsOfWeek: week };
}

const runsOfWeek = (table: string, condition = '') =>
  `(select coalesce(sum(runs), 0) from ${table} where hour >= $1 ${condition})`;

async function findWriteFault(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ read_only: string; may_create: boolean }>(
    `select current_setting('transaction_read_only') as read_only,
      case when current_schema() is null
        then has_database_privilege(current_database(), 'create')
        else has_schema_privilege(current_schema(), 'create') end as may_create`,
  );
  if (rows[0]?.read_only === 'on') return 'it takes no writes (a standby, or set to read-only)';
  return rows[0]?.may_create === true ? null : 'this user may not make tables in its schema';
}

async function readClockOffset(client: pg.Client, clock: Clock): Promise<number> {
  const askedAt = clock.monotonicMs();
  const { rows } = await client.query<{ now: number }>(
    'select extract(epoch from clock_timestamp())::double precision * 1000 as now',
  );
  const wayMs = (clock.monotonicMs() - askedAt) / 2;
  return Math.round((rows[0]?.now ?? 0) - (clock.now() - wayMs));
}
