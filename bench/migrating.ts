/**
 * The effect of starting a new version with many jobs stored: `node bench/migrating.ts [--jobs 2000000]`.
 *
 * On the writes of a running version, on Postgres: it begins with the schema before the indexes of lists, and prints
 * how long each index took and the longest wait of a write meanwhile. For comparison it measures writes alone, and
 * writes beside the same indexes built inside a transaction, as a migration would.
 *
 * On a history of the version before, on both databases (`--moving` for this alone): how long moving the ended runs
 * takes, and on Postgres how long writes wait meanwhile.
 */
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migratePostgres, migrateToLatest } from '#store/migrations/index';
import { POSTGRES_INDEXES } from '#store/migrations/postgres-indexes';
import { openPool, POOLS } from '#store/postgres/open';
import { leaveHistory, type Moved, moveHistory } from './moving.ts';
import { DATABASES, type DatabaseName, Places } from './place.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '2000000' },
    moving: { type: 'boolean', default: false },
  },
});
const JOBS = Number(values.jobs);
const CHUNK = 100_000;
const ID = '00000000-0000-7000-8000-000000000001';
const say = (line: string) => void process.stdout.write(`${line}\n`);

const places = new Places();
try {
  if (!values.moving) await migrate(await places.make('Postgres'));
  for (const database of DATABASES) await move(database, await places.make(database));
} catch (error) {
  // Printed at once: the server stays up until connections that a fault has left open are closed.
  say(`FAILED: ${(error as Error).stack}`);
  process.exitCode = 1;
} finally {
  await places.close();
}

async function migrate(url: string): Promise<void> {
  const filler = new pg.Client({ connectionString: url });
  await filler.connect();
  const pool = openPool({ url, onFault: () => {} }, POOLS.migrations);
  await migrateToLatest(pool.kysely as never, 'postgres', { last: '0003-alerts' });
  await fill(filler);
  await report(url, 'nothing else', () => delay(10_000));
  const begunAt = new Map<string, number>();
  await report(url, 'a start that migrates', () =>
    migratePostgres(pool.kysely as never, (event, index = '') => {
      if (event === 'index-building') begunAt.set(index, performance.now());
      const tookMs = performance.now() - (begunAt.get(index) ?? 0);
      if (event === 'index-built') say(`  ${index}: ${(tookMs / 1000).toFixed(1)} s`);
    }),
  );
  const names = POSTGRES_INDEXES.map(({ name }) => name);
  await filler.query(`drop index ${names.join(', ')}`);
  await report(url, 'the same inside a transaction', async () => {
    await filler.query('begin');
    for (const { name, table, definition } of POSTGRES_INDEXES) {
      await filler.query(`create index ${name} on ${table} ${definition}`);
    }
    await filler.query('commit');
  });
  await pool.close();
  await filler.end();
}

async function move(database: DatabaseName, place: string): Promise<void> {
  await leaveHistory(database, place, JOBS);
  let moved: Moved | null = null;
  const work = async () => void (moved = await moveHistory(database, place));
  // On SQLite nobody writes while a start prepares the history.
  if (database === 'Postgres') await report(place, 'moving what has ended', work);
  else await work();
  if (moved) say(`${database}: ${JOBS} jobs, ${describe(moved)}`);
}

function describe({ seconds, processorSeconds }: Moved): string {
  const each = ((seconds * 1e6) / JOBS).toFixed(0);
  const own = processorSeconds === null ? '' : `, ${processorSeconds.toFixed(1)} s of processor`;
  return `${seconds.toFixed(1)} s, ${each} µs a job${own}`;
}

/** One of a hundred waits, one of fifty is a dead letter, the rest has succeeded. */
async function fill(filler: pg.Client): Promise<void> {
  for (let from = 0; from < JOBS; from += CHUNK) {
    await filler.query(`insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
        created_at, scheduled_at, payload, started_at, completed_at, response_status, duration_ms, reason)
      select '${ID}', id, id, 1, '${ID}',
        case when n % 100 = 0 then 'pending' when n % 50 = 1 then 'dead_lettered' else 'success' end,
        'POST', 'https://target.example/hooks/' || n % 500, n, n, '{"hello":"world"}',
        case when n % 100 > 0 then n end, case when n % 100 > 0 then n end,
        case when n % 100 > 0 then 200 end, case when n % 100 > 0 then 4 end,
        case when n % 50 = 1 and n % 100 > 0 then 'timeout' end
      from (select uuidv7() as id, n from generate_series(${from}, ${from + CHUNK - 1}) as n) as ids`);
  }
  await filler.query('vacuum analyze jobs');
  await filler.query('checkpoint');
}

/** Writes a job every few milliseconds while `work` runs, and prints how long both took. */
async function report(url: string, what: string, work: () => Promise<unknown>): Promise<void> {
  const writer = new pg.Client({ connectionString: url });
  await writer.connect();
  const waits: number[] = [];
  const startedAt = performance.now();
  const end = new AbortController();
  const working = work().finally(() => end.abort());
  while (!end.signal.aborted) {
    const askedAt = performance.now();
    await writer.query(`with made as (insert into jobs (team_id, id, original_id, attempt_number, queue_id, status,
        method, url, created_at, scheduled_at) values ('${ID}', uuidv7(), uuidv7(), 1, '${ID}', 'pending', 'POST',
        'https://target.example/new', 0, 0))
      update jobs set scheduled_at = 1 where id = (select id from jobs where team_id = '${ID}'
        and status = 'pending' order by id desc limit 1)`);
    waits.push(performance.now() - askedAt);
    await delay(5);
  }
  await writer.end();
  await working;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  waits.sort((a, b) => a - b);
  const at = (share: number) =>
    `${(waits[Math.ceil(waits.length * share) - 1] ?? 0).toFixed(0)} ms`;
  say(
    `${what}: ${seconds} s, ${waits.length} writes, median ${at(0.5)}, 99 % ${at(0.99)}, longest ${at(1)}`,
  );
}
