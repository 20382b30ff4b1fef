/**
 * The service is killed at random moments amid its work, again and again, and then compared with §3 and §3.5, §3.6, §3.7, §3.8, §6.1
 * by what the target saw.
 *
 * The seed is printed; `CRASH_SEED=… CRASH_SECONDS=60` repeats a run, or makes it longer.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type BelfryProcess,
  eventually,
  forEachDatabase,
  launchBelfry,
  startBelfry,
} from '#testing/process';
import { makeRandom } from '#testing/random';
import { type Receiver, startReceiver } from '#testing/receiver';
import { clientOf, makeClient, postJob, TEAM } from '#testing/remote';
import { openRows, type Rows } from '#testing/rows';
import { EVERY_EXECUTION, EVERY_JOB } from '#testing/run-rows';
import { reportProgress } from '#testing/progress';
import { LONG_WAIT_LIMIT_MS, TEST_LIMIT_MS } from '#testing/limits';

const SEED = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const SECONDS = Number(process.env['CRASH_SECONDS'] ?? 6);
const POSTERS = 4;
const LEAST_KILLS = 2;
/** Jobs and callbacks between two kills. */
const [LEAST_POSTED, LEAST_CALLBACKS] = [20, 3];
const CRONS = 3;
const SLOTS = 64;
/**
 * A run gives its slot up when its answer is in. Nothing more is claimed while the outcomes of twice as many are not
 * stored, so a process leaves at most these unfinished.
 */
const MOST_UNFINISHED = 3 * SLOTS;
const LIMIT_MS = SECONDS * 1_000 + TEST_LIMIT_MS;
const env = {
  PLANS: 'unlimited=unlimited',
  LOG_LEVEL: 'warn',
  MAX_CONCURRENT_REQUESTS: String(SLOTS),
};

interface Posted {
  id: string;
  n: number;
}

describe(`crashes, seed ${SEED}`, { concurrency: 2, timeout: 2 * LIMIT_MS }, () => {
  forEachDatabase((name, makeDatabaseUrl) => {
    const promise = `${name}: each accepted job is sent once, ends once and sends one callback`;
    test(promise, { timeout: LIMIT_MS }, async (t) => {
      t.diagnostic(`CRASH_SEED=${SEED}`);
      const random = makeRandom(SEED);
      await using target = await startReceiver({ answer: answerOf });
      const databaseUrl = await makeDatabaseUrl({ isEmpty: true });
      let belfry = await startBelfry({ databaseUrl, env });
      try {
        const token = await prepare(belfry, target);
        const posted: Posted[] = [];
        const until = performance.now() + SECONDS * 1000;
        let kills = 0;
        using _progress = reportProgress(
          () => `${name}: ${posted.length} jobs accepted, ${kills} kills so far`,
        );
        while (performance.now() < until || kills < LEAST_KILLS) {
          const [before, callbacksBefore] = [posted.length, countCallbacks(target)];
          const posting = postUntilGone(belfry, token, target.url, posted);
          // What is ended has to be at work.
          const isAtWork = () =>
            posted.length >= before + LEAST_POSTED &&
            countCallbacks(target) >= callbacksBefore + LEAST_CALLBACKS;
          await eventually(isAtWork, { withinMs: LONG_WAIT_LIMIT_MS, what: 'jobs and callbacks' });
          await endSomehow(belfry, random);
          await posting;
          kills++;
          if (random() < 0.25) {
            await endAmidStart(belfry, random);
            kills++;
          }
          belfry = await belfry.restart();
        }
        await using rows = await openRows(databaseUrl);
        await untilSettled(rows);
        await judge(rows, target, posted, kills);
        t.diagnostic(`${posted.length} jobs accepted, ${kills} kills`);
      } finally {
        await belfry.stop();
      }
    });
  });
});

/** Amid its work, or, one time in five, amid a graceful stop. */
async function endSomehow(belfry: BelfryProcess, random: () => number): Promise<void> {
  await delay(200 + random() * 1_300);
  if (random() < 0.2) {
    belfry.signal('SIGTERM');
    await delay(random() * 200);
  }
  await belfry.kill();
}

/** While it opens the database, settles what the one before it was running, and begins to send. */
async function endAmidStart(
  { folder, databaseUrl }: BelfryProcess,
  random: () => number,
): Promise<void> {
  const start = launchBelfry({ folder, databaseUrl, env });
  await delay(200 + random() * 1_000);
  await start.kill();
}

/** Every fifth job fails its first attempt, every seventh all of them; everything takes some milliseconds. */
function answerOf({ url }: { url: string }, count: number) {
  const delayMs = 10 + ((url.length * 7) % 40);
  const n = Number(/^\/job\/(\d+)/.exec(url)?.[1] ?? Number.NaN);
  const fails = n % 7 === 0 || (n % 5 === 0 && count === 0);
  return { status: fails ? 500 : 200, delayMs };
}

/** One queue whose jobs are tried twice, one whose jobs are not, and crons of every minute. */
async function prepare(belfry: BelfryProcess, target: Receiver): Promise<string> {
  const client = await makeClient(belfry);
  await belfry.cli('queue', 'set', '--team', TEAM, '--queue', 'twice', '--retries', '1s');
  await belfry.cli('queue', 'set', '--team', TEAM, '--queue', 'once', '--retries', 'off');
  for (let n = 0; n < CRONS; n++) {
    const cron = {
      name: 'Each minute',
      url: `${target.url}/cron/${n}`,
      cron_expression: '* * * * *',
    };
    assert.equal((await client.post('/api/crons', cron)).status, 201);
  }
  client.close();
  return client.token;
}

async function postUntilGone(
  belfry: BelfryProcess,
  token: string,
  targetUrl: string,
  posted: Posted[],
): Promise<void> {
  const client = clientOf(belfry, token);
  const first = posted.length === 0 ? 0 : Math.max(...posted.map(({ n }) => n)) + 100;
  let next = first;
  const poster = async () => {
    for (;;) {
      const n = next++;
      const callback = n % 3 === 0 ? { callback_url: `${targetUrl}/callback/${n}` } : {};
      const queue = n % 2 === 0 ? 'twice' : 'once';
      const body = { url: `${targetUrl}/job/${n}`, queue, delay: n % 4 === 0 ? 1 : 0, ...callback };
      try {
        posted.push({ id: await postJob(client, body), n });
        await delay(2);
      } catch {
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: POSTERS }, poster));
  client.close();
}

async function untilSettled(rows: Rows): Promise<void> {
  const isSettled = async () => {
    const [open] = await rows.all<{ number: number | string }>(`
      select (select count(*) from jobs where status in ('pending', 'processing'))
        + (select count(*) from executions where status in ('pending', 'running'))
        + (select count(*) from callbacks) as number`);
    return Number(open?.number) === 0;
  };
  await eventually(isSettled, {
    withinMs: LONG_WAIT_LIMIT_MS,
    everyMs: 200,
    what: 'all to be settled',
  });
  // A callback that was taken is still on its way; one too many would be sent by now.
  await delay(1_000);
}

interface Attempt {
  id: string;
  original_id: string;
  attempt_number: number;
  url: string;
  status: string;
  reason: string | null;
  callback_url: string | null;
}

async function judge(
  rows: Rows,
  target: Receiver,
  posted: readonly Posted[],
  kills: number,
): Promise<void> {
  const attempts = await rows.all<Attempt>(
    `select id, original_id, attempt_number, url, status, reason, callback_url from ${EVERY_JOB}`,
  );
  const byJob = Map.groupBy(attempts, ({ original_id }) => original_id);
  const arrived = countPaths(target);
  for (const { id } of posted) assert.ok(byJob.has(id), `${id} was answered with 201 and is gone`);
  assert.ok(posted.length > 5 * kills, `only ${posted.length} were accepted`);
  let lostCallbacks = 0;
  let cutOff = 0;
  for (const job of byJob.values()) {
    const last = judgeAttempts(job, arrived);
    const callbacks = arrived.get(`/callback/${last.url.split('/').at(-1)}`) ?? 0;
    assert.ok(callbacks <= 1, `${last.url}: ${callbacks} callbacks`);
    const wantsCallback = last.callback_url !== null && last.reason !== 'worker_failed';
    if (!wantsCallback) assert.equal(callbacks, 0, `${last.url}: a callback that should not be`);
    else if (callbacks === 0) lostCallbacks++;
    if (last.reason === 'worker_failed') cutOff++;
  }
  // One that was being sent when its process died is not sent again; no more can be under way than there are slots.
  assert.ok(lostCallbacks <= kills * SLOTS, `${lostCallbacks} callbacks never came`);
  assert.ok(lostCallbacks < posted.length / 3, `${lostCallbacks} callbacks never came`);
  assert.ok(cutOff <= kills * MOST_UNFINISHED, `${cutOff} were cut off by ${kills} kills`);
  const ended = posted.length - cutOff;
  assert.ok(ended > kills, `only ${ended} ended between ${kills} kills`);
  await judgeTicks(rows, arrived);
}

/** Gives the last attempt. */
function judgeAttempts(job: readonly Attempt[], arrived: ReadonlyMap<string, number>): Attempt {
  const attempts = job.toSorted((a, b) => a.attempt_number - b.attempt_number);
  const last = attempts.at(-1);
  assert.ok(last);
  const path = new URL(last.url).pathname;
  assert.deepEqual(
    attempts.map(({ attempt_number }) => attempt_number),
    attempts.map((_, n) => n + 1),
    `${path}: attempts are missing or double`,
  );
  for (const earlier of attempts.slice(0, -1)) assert.equal(earlier.status, 'retried', path);
  assert.ok(['success', 'dead_lettered'].includes(last.status), `${path} ended as ${last.status}`);
  // An attempt that was cut off may have gone out or not; every other went out once.
  const unsure = attempts.filter(({ reason }) => reason === 'worker_failed').length;
  const times = arrived.get(path) ?? 0;
  const sent = attempts.length;
  assert.ok(
    times <= sent && times >= sent - unsure,
    `${path} was sent ${times} times in ${sent} attempts, ${unsure} of them cut off`,
  );
  return last;
}

/** "Two nodes never run the same time twice" (§3.7), nor does one before and after a crash. */
async function judgeTicks(rows: Rows, arrived: ReadonlyMap<string, number>): Promise<void> {
  const ticks = await rows.all<{
    url: string;
    scheduled_for: number | string;
    reason: string | null;
  }>(
    `select crons.url, runs.scheduled_for, runs.reason
     from (select * from ${EVERY_EXECUTION}) as runs join crons on crons.id = runs.cron_id`,
  );
  const times = ticks.map(({ url, scheduled_for }) => `${url} ${scheduled_for}`);
  assert.equal(new Set(times).size, times.length, 'a time of a schedule ran twice');
  for (const [url, runs] of Map.groupBy(ticks, ({ url }) => url)) {
    const unsure = runs.filter(({ reason }) => reason === 'worker_failed').length;
    const came = arrived.get(new URL(url).pathname) ?? 0;
    assert.ok(came <= runs.length && came >= runs.length - unsure, `${url} came ${came} times`);
  }
}

const countCallbacks = (target: Receiver) =>
  target.requests.filter(({ url }) => url.startsWith('/callback/')).length;

function countPaths(target: Receiver): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { url } of target.requests) counts.set(url, (counts.get(url) ?? 0) + 1);
  return counts;
}
