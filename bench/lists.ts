/**
 * What the dashboard's lists cost with many jobs stored: `node bench/lists.ts [--jobs 1000000] [--queues 20]
 * [--runs 9] [--database sqlite|postgres|both] [--late 20] [--bulk 10000]`.
 *
 * Fills one team with finished, failed, waiting and retrying jobs, then asks for every tab, count and search and
 * prints the median and the slowest of each in milliseconds, as `work` answers them.
 *
 * For `--late` seconds a job is due every 20 ms, first alone and then while all of this is asked again and
 * again, and the lateness of those jobs is printed.
 *
 * With `--bulk 10000` the service's parts run beside: that many failed jobs are retried by filter while another
 * queue gets a job every 20 ms, and the lateness of those jobs is printed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CompiledQuery } from 'kysely';
import { newId } from '#domain/ids';
import { silentLog } from '#domain/log';
import { Engine } from '#engine/engine';
import { unobserved } from '#engine/observer';
import type { Store } from '#store/store';
import { fillJobs, type JobFill } from '#testing/fill';
import { aNewJob, aQueue, aTeam } from '#testing/factories';
import { type Receiver, startReceiver } from '#testing/receiver';
import { openSender } from '#testing/sender';
import { realClock } from '../src/real-clock.ts';
import { openPostgresTestStore, openSqliteTestStore } from '#testing/stores';
import { createBulkRunner } from '#work/bulk-runner';
import { createWork, type Work } from '#work/work';
import { HISTORY_DAYS } from './belfry.ts';
import { measureLateBesideLists } from './late-beside-lists.ts';
import type { JobSearch } from '#work/job-contract';
import { NO_LIMITS } from '#store/figures/usage';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000000' },
    queues: { type: 'string', default: '20' },
    runs: { type: 'string', default: '9' },
    database: { type: 'string', default: 'both' },
    bulk: { type: 'string', default: '10000' },
    late: { type: 'string', default: '20' },
  },
});
const jobCount = Number(values.jobs);
const queueCount = Number(values.queues);
const runs = Number(values.runs);
const bulkCount = Number(values.bulk);
const lateSeconds = Number(values.late);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function measure(name: string, open: typeof openSqliteTestStore): Promise<void> {
  await using store = await open({ clock: realClock });
  await store.retention.keepPartitions(store.clock.now(), { historyDays: HISTORY_DAYS });
  const team = await aTeam(store);
  const queueIds: string[] = [];
  for (let n = 0; n < queueCount; n++) {
    queueIds.push((await aQueue(store, team.id, { name: `queue ${n}`, isPaused: true })).id);
  }
  const startedAt = performance.now();
  const sampleId = await fill(store, team.id, queueIds);
  await store.database.autocommit(
    CompiledQuery.raw(store.dialect === 'postgres' ? 'vacuum analyze' : 'analyze'),
  );
  say(
    `${name}: ${jobCount} jobs written in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  const work = createWork({ store });
  const asked = questions(work, team.id, queueIds, sampleId);
  for (const [what, ask] of asked) await report(name, what, ask);
  if (lateSeconds > 0) {
    const stream = { store, teamId: team.id, perSecond: 50, seconds: lateSeconds };
    await reportLateness(name, stream, asked);
  }
  if (bulkCount > 0) await measureBulk(name, store, work, team.id);
}

const REASONS = ['http_server_error', 'timeout', 'connection_error', 'http_client_error'];

/** The nth job: seven of ten succeeded; one each failed, waits and retries; one in a thousand timed out. */
function jobOf(n: number, now: number): Partial<JobFill> {
  const at = now - n * 100;
  const kind = n % 20;
  if (kind < 14)
    return { status: 'success', completed_at: at, response_status: n % 5000 ? 200 : 204 };
  if (kind < 16) {
    const reason = n % 1000 === 14 ? 'assertion_failed' : REASONS[n % REASONS.length];
    return {
      status: 'dead_lettered',
      completed_at: at,
      reason: reason ?? null,
      response_status: 503,
    };
  }
  if (kind < 18) return { status: 'pending', scheduled_at: now + n * 100 };
  if (kind < 19) return { status: 'pending', scheduled_at: now + n * 100, attempt_number: 2 };
  return { status: 'retried', completed_at: at, reason: 'timeout' };
}

/** @returns the id of a job in the middle */
async function fill(store: Store, teamId: string, queueIds: readonly string[]): Promise<string> {
  const now = Date.now();
  let sample = '';
  for (let from = 0; from < jobCount; from += 20_000) {
    const count = Math.min(20_000, jobCount - from);
    const ids = await fillJobs(
      store,
      Array.from({ length: count }, (_, n) => {
        const each = from + n;
        return Object.assign(jobOf(each, now), {
          team_id: teamId,
          id: newId(now - each * 100 - 50),
          queue_id: queueIds[(each * 7) % queueIds.length] ?? '',
          url: `https://api.example.com/customers/${each % 3000}/orders?page=1`,
          payload: JSON.stringify({ order: each, customer: 'Ada Lovelace', items: [1, 2, 3] }),
        });
      }),
    );
    sample = ids[Math.floor(count / 2)] ?? sample;
  }
  return sample;
}

function questions(
  work: Work,
  teamId: string,
  queueIds: readonly string[],
  jobId: string,
): [string, () => Promise<unknown>][] {
  const queueId = queueIds[3] ?? '';
  const hour = { from: Date.now() - 7_200_000, to: Date.now() - 3_600_000 };
  const search = (what: string, wanted: JobSearch): [string, () => Promise<unknown>] => [
    what,
    () => work.searchJobs(teamId, wanted),
  ];
  const tabs = ['all', 'pending', 'processing', 'retrying', 'completed', 'failed'] as const;
  return [
    ...tabs.map((tab) => search(`tab ${tab}`, { tab })),
    ...tabs.map((tab) => search(`tab ${tab} of a queue`, { tab, queueId })),
    ['counts of tabs', () => work.countTabs(teamId)],
    ['counts of tabs of a queue', () => work.countTabs(teamId, queueId)],
    search('by id', { tab: 'all', id: jobId }),
    search('by a rare URL', { tab: 'all', urlPrefix: 'https://api.example.com/customers/777/' }),
    search('by a common URL', { tab: 'all', urlPrefix: 'https://api.example.com/' }),
    search('failed, by a URL of one in a hundred', {
      tab: 'failed',
      urlPrefix: 'https://api.example.com/customers/77',
    }),
    search('by no URL of the team', { tab: 'all', urlPrefix: 'https://nowhere.example/' }),
    search('by a rare reason', { tab: 'failed', reason: 'assertion_failed' }),
    search('by a common reason', { tab: 'all', reason: 'timeout' }),
    search('by time', { tab: 'all', ...hour }),
    search('completed, by queue and time', { tab: 'completed', queueId, ...hour }),
    search('resent', { tab: 'failed', resent: 'only' }),
    search('failed, by queue, reason and time', {
      tab: 'failed',
      queueId,
      reason: 'timeout',
      ...hour,
    }),
    search('completed, by a rare code', { tab: 'completed', statusCode: 204 }),
    search('completed, by a code that there is not', { tab: 'completed', statusCode: 207 }),
    search('by a text that is nowhere', { tab: 'all', payloadText: 'needle' }),
    [
      'count of failed by reason',
      () => work.countJobs(teamId, { tab: 'failed', reason: 'timeout' }),
    ],
    [
      'count by a rare URL',
      () =>
        work.countJobs(teamId, { tab: 'all', urlPrefix: 'https://api.example.com/customers/777/' }),
    ],
    ['a page far in', () => pageFarIn(work, teamId)],
    ['detail of a job', () => work.readJobDetail(teamId, jobId)],
    ['failures of a week', () => work.groupFailures(teamId)],
    ['queues', () => work.listQueueRows(teamId)],
    ['overview', () => work.readOverview(teamId)],
    ['numbers around every page', () => work.readAttention(teamId)],
    ['numbers of the overview', () => work.readCounts(teamId)],
  ];
}

let farIn: string | null = null;

async function pageFarIn(work: Work, teamId: string): Promise<unknown> {
  if (farIn === null) {
    const at = Date.now() - jobCount * 50;
    const { next } = await work.searchJobs(teamId, { tab: 'completed', to: at });
    farIn = next;
  }
  return work.searchJobs(teamId, { tab: 'completed' }, { cursor: farIn ?? '' });
}

async function report(name: string, what: string, ask: () => Promise<unknown>): Promise<void> {
  await ask();
  const took: number[] = [];
  for (let n = 0; n < runs; n++) {
    const startedAt = performance.now();
    await ask();
    took.push(performance.now() - startedAt);
  }
  took.sort((a, b) => a - b);
  const [median, slowest] = [took[Math.floor(runs / 2)] ?? 0, took.at(-1) ?? 0];
  const mark = median > 100 ? '  over 100 ms' : '';
  say(
    `${name} ${what.padEnd(40)} ${median.toFixed(1).padStart(7)} ms, slowest ${slowest.toFixed(1)}${mark}`,
  );
}

async function reportLateness(
  name: string,
  stream: Parameters<typeof measureLateBesideLists>[0],
  asked: ReturnType<typeof questions>,
): Promise<void> {
  const lateness = await measureLateBesideLists(
    stream,
    asked.map(([, ask]) => ask),
  );
  for (const { jobs, asked: answered, medianMs, p99Ms, maxMs } of lateness) {
    const figures = `median ${medianMs.toFixed(1)} ms, 99 % ${p99Ms.toFixed(1)} ms, at most ${maxMs.toFixed(1)} ms`;
    say(`${name} ${jobs} jobs, ${answered} questions meanwhile: started late by ${figures}`);
  }
}

/** Retries many failed jobs by filter while new jobs come in, and says how soon those arrived. */
async function measureBulk(name: string, store: Store, work: Work, teamId: string): Promise<void> {
  await using receiver = await startReceiver();
  await using sender = openSender();
  const queueId = await fillFailed(store, teamId, receiver.url);
  const limits = {
    maxConcurrentRequests: 256,
    responseKeepBytes: 65_535,
    limits: NO_LIMITS,
  };
  const engine = new Engine({ store, sender, log: silentLog, observer: unobserved, ...limits });
  const runner = createBulkRunner({ store, log: silentLog });
  await engine.start();
  runner.start();
  const startedAt = performance.now();
  const outcome = await work.startBulk(teamId, 'retry', { tab: 'failed', queueId });
  if (outcome.kind !== 'started') throw new Error(`not started: ${outcome.kind}`);
  const arrivals: number[] = [];
  let { task } = outcome;
  while (task.finishedAt === null) {
    await delay(20);
    arrivals.push(await deliverOne(store, teamId, receiver));
    task = (await work.findBulkTask(teamId, task.id)) ?? task;
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const sorted = arrivals.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  const meanwhile = `${sorted.length} new jobs meanwhile arrived after median ${at(0.5)} ms, 99 % ${at(0.99)} ms, at most ${at(1)} ms`;
  say(`${name} retry of ${task.done} failed by filter: ${seconds} s; ${meanwhile}`);
  await runner.stop();
  await engine.stop(5000);
}

/** @returns their queue */
async function fillFailed(store: Store, teamId: string, url: string): Promise<string> {
  const { id } = await aQueue(store, teamId, { name: 'bulk', retriesEnabled: false });
  const failed = {
    team_id: teamId,
    queue_id: id,
    status: 'dead_lettered',
    completed_at: store.clock.now(),
    url,
  };
  await fillJobs(
    store,
    Array.from({ length: bulkCount }, () => failed),
  );
  return id;
}

/** @returns how long a job took from its acceptance to its target, in milliseconds */
async function deliverOne(store: Store, teamId: string, receiver: Receiver): Promise<number> {
  const path = `/new/${newId(Date.now())}`;
  const arrives = receiver.next(({ url }) => url === path);
  await store.jobs.accept(aNewJob(teamId, { queue: 'fresh', url: `${receiver.url}${path}` }));
  const acceptedAt = performance.now();
  await arrives;
  return performance.now() - acceptedAt;
}

if (values.database !== 'postgres') await measure('SQLite', openSqliteTestStore);
if (values.database !== 'sqlite') await measure('Postgres', openPostgresTestStore);
process.exit(0);
