/** How long the first start takes that moves the ended runs of the version before to tables of their own. */
import { DatabaseSync } from 'node:sqlite';
import { silentLog } from '#domain/log';
import { ClockJumps } from '#engine/clock-jumps';
import { buildIndexes } from '#store/postgres/index-steps';
import { openPool, POOLS } from '#store/postgres/open';
import { migrateToLatest } from '#store/migrations/index';
import { POSTGRES_INDEXES } from '#store/migrations/postgres-indexes';
import { openSqliteHere } from '#store/sqlite/open';
import pg from 'pg';
import { prepareHistory } from '../src/history.ts';
import { realClock } from '../src/real-clock.ts';
import { HISTORY_DAYS, openBenchStore } from './belfry.ts';
import { STORED_BODY, STORED_TRACE } from './bulk.ts';
import type { DatabaseName } from './place.ts';

const BEFORE = '0008-timed-alerts';
const CHUNK = 100_000;
const ID = '00000000-0000-7000-8000-000000000001';
const DAY_MS = 86_400_000;

export interface Moved {
  seconds: number;
  /** Processor time of the process, which does all the work on SQLite; null on Postgres. */
  processorSeconds: number | null;
}

/** Fills an empty database like the version before, with a month of finished jobs and their responses. */
export async function leaveHistory(
  database: DatabaseName,
  place: string,
  jobs: number,
): Promise<void> {
  if (database === 'SQLite') await leaveOnSqlite(place, jobs);
  else await leaveOnPostgres(place, jobs);
}

/** Migrates and moves, as a start does before it serves. */
export async function moveHistory(database: DatabaseName, place: string): Promise<Moved> {
  const own = process.cpuUsage();
  const startedAt = performance.now();
  const store = await openBenchStore(place);
  await prepareHistory({
    store,
    log: silentLog,
    historyDays: HISTORY_DAYS,
    clockJumps: new ClockJumps(store.clock, silentLog),
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(own);
  const processorSeconds = database === 'SQLite' ? (user + system) / 1e6 : null;
  const left = await store.retention.countOlderRuns();
  await store.close();
  if (left > 0) throw new Error(`${left} runs were not moved`);
  return { seconds, processorSeconds };
}

async function leaveOnPostgres(place: string, jobs: number): Promise<void> {
  const pool = openPool({ url: place, onFault: () => {} }, POOLS.migrations);
  await migrateToLatest(pool.kysely as never, 'postgres', { last: BEFORE });
  await buildIndexes(pool.kysely as never, POSTGRES_INDEXES, () => {});
  await pool.close();
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  for (let from = 0; from < jobs; from += CHUNK) {
    const until = Math.min(from + CHUNK, jobs);
    await client.query(`create temporary table ids as
      select uuidv7() as id, n from generate_series(${from}, ${until - 1}) as n`);
    for (const text of rowsOf(jobs, `'${STORED_BODY}'::bytea`)) await client.query(text);
    await client.query('drop table ids');
  }
  for (const text of ['vacuum analyze', 'checkpoint']) await client.query(text);
  await client.end();
}

async function leaveOnSqlite(place: string, jobs: number): Promise<void> {
  const { main } = await openSqliteHere(place, { clock: realClock });
  await migrateToLatest(main.kysely as never, 'sqlite', { last: BEFORE });
  await main.close();
  using database = new DatabaseSync(place);
  for (let from = 0; from < jobs; from += CHUNK) {
    const until = Math.min(from + CHUNK, jobs);
    database.exec(`create temporary table ids as
      with recursive numbers(n) as (select ${from} union all select n + 1 from numbers where n < ${until - 1})
      select printf('%08x-%04x-7000-8000-', n / 65536, n % 65536) || lower(hex(randomblob(6))) as id, n
      from numbers`);
    for (const text of rowsOf(jobs, `cast('${STORED_BODY}' as blob)`)) database.exec(text);
    database.exec('drop table ids');
  }
}

/**
 * The rows of a history: one of fifty jobs is a dead letter, the others succeeded; their ends are spread over the
 * history.
 */
function rowsOf(jobs: number, body: string): string[] {
  const first = Date.now() - (HISTORY_DAYS - 1) * DAY_MS;
  const at = `${first} + cast(n * 1.0 * ${((HISTORY_DAYS - 2) * DAY_MS) / jobs} as bigint)`;
  return [
    `insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
       created_at, scheduled_at, payload, started_at, completed_at, response_status, duration_ms, reason)
     select '${ID}', id, id, 1, '${ID}', case when n % 50 = 1 then 'dead_lettered' else 'success' end,
       'POST', 'https://target.example/hooks/' || n % 500, ${at}, ${at}, '{"hello":"world"}', ${at}, ${at},
       200, 4, case when n % 50 = 1 then 'timeout' end from ids`,
    `insert into responses (team_id, run_id, total_bytes, trace, body)
     select '${ID}', id, 2, '${STORED_TRACE}', ${body} from ids`,
  ];
}
