/**
 * Several processes on one Postgres (§3.6, §3.7, §3.8): each job and tick is sent once, whoever dies or freezes.
 *
 * `BELFRY_FULL=1` makes it 20,000 jobs and 50 crons, on four nodes and also on two.
 */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type BelfryProcess, eventually, startBelfry } from '#testing/process';
import { createMigratedDatabase } from '#testing/migrated';
import { type Receiver, startReceiver } from '#testing/receiver';
import { type Client, makeClient, postJob } from '#testing/remote';
import { openRows, type Rows } from '#testing/rows';
import { EVERY_EXECUTION, EVERY_JOB } from '#testing/run-rows';
import { reportProgress } from '#testing/progress';
import { LONG_WAIT_LIMIT_MS } from '#testing/limits';

const isFull = process.env['BELFRY_FULL'] === '1';
const JOBS = isFull ? 20_000 : 600;
const CRONS = isFull ? 50 : 8;
const QUEUES = 4;
const POSTERS = 16;
/** Small, so that what is due is spread over the nodes in many claims. */
const SLOTS = isFull ? 64 : 12;
/**
 * A run gives its slot up when its answer is in. Nothing more is claimed while the outcomes of twice as many
 * are not stored, so a slow database leaves at most these unfinished on a node.
 */
const MOST_UNFINISHED = 3 * SLOTS;
/** More than the others have slots for at once. */
const ROUND = 16 * SLOTS;
/** Long enough at full size that slots are what is short, and not the machine's two cores. */
const ANSWER_MS = isFull ? 150 : 30;
const env = {
  PLANS: 'unlimited=unlimited',
  MAX_CONCURRENT_REQUESTS: String(SLOTS),
  LOG_LEVEL: 'info',
};

describe('many nodes', () => {
  if (isFull)
    test('two nodes, one frozen beyond its lease: every job is sent once', (t) =>
      runNodes(t, { engines: 1, kills: false }));

  test('four nodes, one killed and one frozen beyond its lease: every job is sent once', (t) =>
    runNodes(t, { engines: 3, kills: true }));
});

interface Scene {
  target: Receiver;
  /** Serves the API and sends; lives through everything. */
  first: BelfryProcess;
  client: Client;
  rows: Rows;
}

async function runNodes(
  t: TestContext,
  { engines, kills }: { engines: number; kills: boolean },
): Promise<void> {
  const half = JOBS / 2;
  const lost = Promise.withResolvers<void>();
  await using target = await startReceiver({
    // Without answers, each node soon has as many runs as it has slots.
    answer: () =>
      target.requests.length < half + half / 4 ? { delayMs: ANSWER_MS } : { after: lost.promise },
  });
  using _progress = reportProgress(() => `${target.requests.length} of ${JOBS} requests so far`);
  await using database = await createMigratedDatabase();
  await using rows = await openRows(database.url);
  await using first = await startBelfry({ databaseUrl: database.url, env });
  await using more = new AsyncDisposableStack();
  const others = await Promise.all(
    Array.from({ length: engines }, async () =>
      startBelfry({ databaseUrl: database.url, env: { ...env, ROLE: 'engine' } }),
    ),
  );
  for (const other of others) more.use(other);
  const client = await makeClient(first);
  const scene: Scene = { target, first, client, rows };

  // All due at the same moment: with little to do, whoever hears first would take the most.
  await postJobs(scene, 0, half, 3600);
  await makeDue(rows, 'jobs', 'scheduled_at');
  await untilNoneWaits(rows);
  const shares = await Promise.all([first, ...others].map(countRuns));
  t.diagnostic(`the nodes ran ${shares.join(', ')}`);
  assertEvenShares(shares);

  await scheduleTicks(scene);
  const posted = postJobs(scene, half, JOBS);
  await target.waitFor(half + half / 4 + SLOTS, { withinMs: LONG_WAIT_LIMIT_MS });
  const frozen = others[0] as BelfryProcess;
  await freezeAmidWork(frozen, rows);
  if (kills) await others[1]?.kill();
  lost.resolve();
  await posted;
  await untilNoneWaits(rows);
  const before = await outcomesOf(rows);

  frozen.signal('SIGCONT');
  await frozen.line(/node\.lease-lost/, LONG_WAIT_LIMIT_MS);
  await untilRejoined(frozen);
  assert.deepEqual(await outcomesOf(rows), before, 'a late result changed something');
  await assertSentOnce(scene, kills ? 2 : 1);

  // The one that woke takes part again, as soon as there is something to do.
  const wokenFrom = await countRuns(frozen);
  await postJobs(scene, JOBS, JOBS + ROUND, 3600);
  await makeDue(rows, 'jobs', 'scheduled_at');
  await untilNoneWaits(rows);
  const woken = (await countRuns(frozen)) - wokenFrom;
  t.diagnostic(`the woken node ran ${woken} of ${ROUND}`);
  assert.ok(woken > 0, 'the woken node runs nothing any more');
  client.close();
}

async function postJobs(
  { client, target }: Scene,
  from: number,
  to: number,
  delay = 0,
): Promise<void> {
  let next = from;
  const poster = async () => {
    while (next < to) {
      const n = next++;
      await postJob(client, { url: `${target.url}/job/${n}`, queue: `q${n % QUEUES}`, delay });
    }
  };
  await Promise.all(Array.from({ length: POSTERS }, poster));
}

/** Crons that run once a year, and now. */
async function scheduleTicks({ client, target, rows }: Scene): Promise<void> {
  for (let n = 0; n < CRONS; n++) {
    const cron = {
      name: `Cron ${n}`,
      url: `${target.url}/cron/${n}`,
      cron_expression: '0 0 1 1 *',
    };
    const { status } = await client.post('/api/crons', cron);
    assert.equal(status, 201);
  }
  await makeDue(rows, 'crons', 'next_run_at');
}

/** Makes all that waits due a moment from now, for all nodes at once. */
async function makeDue(rows: Rows, table: 'jobs' | 'crons', column: string): Promise<void> {
  await rows.all(`update ${table} set ${column} =
    (extract(epoch from clock_timestamp()) * 1000)::bigint + 1000
    ${table === 'jobs' ? "where status = 'pending'" : ''}`);
  // A signal that no node can read makes each node look for itself.
  await rows.all(`notify belfry, 'look'`);
}

async function untilNoneWaits(rows: Rows): Promise<void> {
  await eventually(
    async () => {
      const [open] = await rows.all<{ number: string }>(`
        select (select count(*) from jobs where status in ('pending', 'processing'))
          + (select count(*) from executions where status in ('pending', 'running')) as number`);
      return Number(open?.number) === 0;
    },
    { withinMs: LONG_WAIT_LIMIT_MS, everyMs: 200, what: 'everything to be settled' },
  );
}

interface Outcome {
  path: string;
  status: string;
  reason: string | null;
  completed_at: string;
}

async function outcomesOf(rows: Rows): Promise<Outcome[]> {
  return rows.all<Outcome>(`
    select url as path, status, reason, completed_at from ${EVERY_JOB}
    union all
    select crons.url, every_executions.status, every_executions.reason, every_executions.completed_at
    from ${EVERY_EXECUTION} join crons on crons.id = every_executions.cron_id
    order by 1, 4`);
}

async function countRuns({ url }: BelfryProcess): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = text.matchAll(/^belfry_lateness_seconds_count\{[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Shares of live nodes are within 20 % of each other; of a few hundred jobs chance and a busy machine make more. */
const EVEN = isFull ? 0.8 : 0.2;

function assertEvenShares(shares: readonly number[]): void {
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  assert.ok(least >= EVEN * most, `the nodes ran ${shares.join(', ')}`);
}

async function untilRejoined(node: BelfryProcess): Promise<void> {
  const joins = () => node.output.filter((line) => line.includes('node.joined')).length;
  await eventually(() => joins() >= 2, { withinMs: LONG_WAIT_LIMIT_MS });
}

/** Stops the process during a run, so that the other nodes must detect its end. */
async function freezeAmidWork(node: BelfryProcess, rows: Rows): Promise<void> {
  const joined = await node.line(/node\.joined/);
  const { nodeId } = JSON.parse(joined) as { nodeId: string };
  const text = `select count(*) as number from jobs where claimed_by = '${nodeId}'`;
  const isStoppedAmidWork = async () => {
    node.signal('SIGSTOP');
    // What it had already sent to the database is carried out all the same.
    await delay(200);
    const [claimed] = await rows.all<{ number: string }>(text);
    if (Number(claimed?.number) > 0) return true;
    node.signal('SIGCONT');
    return false;
  };
  await eventually(isStoppedAmidWork, {
    withinMs: LONG_WAIT_LIMIT_MS,
    what: 'a run to freeze amid',
  });
}

/** Compared with the requests that the target got. */
async function assertSentOnce({ target, rows }: Scene, lost: number): Promise<void> {
  const outcomes = await outcomesOf(rows);
  const arrived = new Map<string, number>();
  for (const { url } of target.requests) arrived.set(url, (arrived.get(url) ?? 0) + 1);
  assert.equal(outcomes.length, JOBS + CRONS, 'each has one attempt or execution, and no second');
  let cutOff = 0;
  for (const { path, status, reason } of outcomes) {
    const times = arrived.get(new URL(path).pathname) ?? 0;
    if (status === 'success') {
      assert.equal(times, 1, `${path} was sent ${times} times`);
      continue;
    }
    cutOff++;
    const expected = path.includes('/job/') ? 'dead_lettered' : 'failed';
    assert.deepEqual([status, reason], [expected, 'worker_failed'], path);
    assert.ok(times <= 1, `${path} was sent ${times} times`);
  }
  assert.ok(cutOff <= lost * MOST_UNFINISHED, `${cutOff} were cut off`);
  assert.ok(cutOff > 0, 'nothing ran on the lost nodes: the test shows nothing');
}
