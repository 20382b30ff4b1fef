/** §2.3: what a queue decides for its jobs; §3.4, §3.5, §3.8. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startReceiver } from '#testing/receiver';
import {
  answerInRounds,
  attemptsOf,
  makeGate,
  MINUTE,
  scheduleCron,
  scheduleJob,
  SECOND,
  setQueue,
  statusesOf,
} from '#testing/scheduling';
import { startService, type TestService } from '#testing/service';
import { type StartScene, useScenes } from '#testing/scenes';
import { openSqliteTestStore } from '#testing/stores';

const start = useScenes(openSqliteTestStore);
describe('settings', () => declareSettings(start));
describe('a paused queue', () => declarePausing(start));
describe('a concurrency limit', () => declareLimits(start));
describe('a rate', () => declareRates(start));
describe('deleting a queue', () => declareDeleting(start));
describe('fairness (§3.8)', () => declareFairness(start));

function declareSettings(start: StartScene) {
  test('changed queue settings apply to jobs that already wait (§3.4)', async () => {
    const { service, receiver } = await start({ answer: 'never' });
    const { job_id } = await scheduleJob(service, { url: receiver.url, delay: 10 });
    await setQueue(service, { timeoutSeconds: 5, retriesEnabled: false });
    await service.clock.advance(10 * SECOND);
    await receiver.waitFor(1);
    await service.clock.advance(5 * SECOND);
    await service.quiet();
    const [job] = await attemptsOf(service, job_id);
    assert.equal(job?.errorMessage, 'Request timed out after 5 seconds');
  });

  test('the retry schedule is read when the attempt ends (§3.4)', async () => {
    const gate = makeGate();
    const { service, receiver, sent } = await start({
      answer: { status: 500, after: gate.opened },
    });
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    await setQueue(service, { retrySchedule: [7] });
    gate.open();
    await service.quiet();
    const [, retry] = await attemptsOf(service, job_id);
    assert.equal(retry?.scheduledAt, service.clock.now() + 7_000);
    await setQueue(service, { retriesEnabled: false });
    await service.advance(7 * SECOND);
    await sent(2);
    const statuses = await statusesOf(service, job_id);
    assert.deepEqual(statuses, ['retried', 'dead_lettered'], 'the waiting retry is the last');
  });
}

function declarePausing(start: StartScene) {
  test('waiting jobs start at once when their queue is enabled, each once', async () => {
    const { service, receiver, sent } = await start();
    const { id } = await setQueue(service, { isPaused: true });
    for (let n = 0; n < 5; n++) await scheduleJob(service, { url: `${receiver.url}/${n}` });
    const later = await scheduleJob(service, { url: `${receiver.url}/later`, delay: 60 });
    await service.advance(SECOND);
    await service.work.resumeQueue(service.teamId, id);
    // No time passes: only what was due goes.
    await sent(5);
    assert.equal((await attemptsOf(service, later.job_id))[0]?.status, 'pending');
    await service.advance(59 * SECOND);
    await receiver.waitFor(6);
  });

  test('pausing a queue does not interrupt running attempts; their retries wait', async () => {
    const gate = makeGate();
    const { service, receiver } = await start({ answer: { status: 500, after: gate.opened } });
    const { job_id, queue_id } = await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    await service.work.pauseQueue(service.teamId, queue_id);
    gate.open();
    await service.quiet();
    await service.advance(2 * MINUTE);
    assert.equal(receiver.requests.length, 1);
    assert.deepEqual(await statusesOf(service, job_id), ['retried', 'pending']);
    await service.work.resumeQueue(service.teamId, queue_id);
    await receiver.waitFor(2);
  });
}

function declareLimits(start: StartScene) {
  test('a concurrency limit is reached and never exceeded while jobs wait', async () => {
    const { answer, most } = answerInRounds(3);
    const { service, receiver, sent } = await start({ answer });
    await setQueue(service, { concurrencyLimit: 3 });
    const posts = Array.from({ length: 12 }, () => scheduleJob(service, { url: receiver.url }));
    await Promise.all(posts);
    // No time passes: each end lets the next one start.
    await sent(12);
    assert.equal(most(), 3);
  });

  test('a raised concurrency limit starts more jobs at once', async () => {
    const { service, receiver } = await start({ answer: 'never' });
    await setQueue(service, { concurrencyLimit: 1 });
    for (let n = 0; n < 3; n++) await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    await setQueue(service, { concurrencyLimit: 2 });
    await receiver.waitFor(2);
    await service.clock.advance(10);
    assert.equal(receiver.requests.length, 2);
    await setQueue(service, { concurrencyLimit: null });
    await receiver.waitFor(3);
  });

  test('a lowered concurrency limit ends no running job and starts none above the limit', async () => {
    const gates = Array.from({ length: 4 }, makeGate);
    const { service, receiver, sent } = await start({
      answer: (_, count) => ({ after: gates[count]?.opened ?? Promise.resolve() }),
    });
    for (let n = 0; n < 3; n++) await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(3);
    await setQueue(service, { concurrencyLimit: 1 });
    const waiting = await scheduleJob(service, { url: receiver.url });
    gates[0]?.open();
    gates[1]?.open();
    await service.clock.advance(5 * SECOND);
    assert.equal(receiver.requests.length, 3, 'one still runs');
    assert.equal((await attemptsOf(service, waiting.job_id))[0]?.status, 'pending');
    // No time passes: the last of those that started without a limit makes room at once.
    gates[2]?.open();
    gates[3]?.open();
    await sent(4);
  });
}

const FIVE_A_SECOND = { count: 5, per: 'second' } as const;

/** When the jobs of a queue started, by the clock of the store, from the first on. */
async function startsOf({ work, teamId }: TestService, ids: readonly string[]): Promise<number[]> {
  const jobs = await Promise.all(ids.map((id) => work.findJob(teamId, id)));
  const starts = jobs.flatMap((job) => job?.startedAt ?? []).toSorted((a, b) => a - b);
  return starts.map((at) => at - (starts[0] ?? 0));
}

function declareRates(start: StartScene) {
  test('a rate spreads jobs evenly without polling the queue in between', async () => {
    let looks = 0;
    const onStatement = ({ sql }: { sql: string }) => {
      if (/^\/\* (claim-jobs-at-once|read-queues) /.test(sql)) looks++;
    };
    await using receiver = await startReceiver();
    await using service = await startService((options) =>
      openSqliteTestStore({ ...options, onStatement }),
    );
    await setQueue(service, { isPaused: true, rate: FIVE_A_SECOND });
    const posts = Array.from({ length: 10 }, () => scheduleJob(service, { url: receiver.url }));
    const ids = (await Promise.all(posts)).map(({ job_id }) => job_id);
    await service.quiet();
    looks = 0;
    await setQueue(service, { isPaused: false });
    while (receiver.requests.length < 10) await service.advance(100);
    assert.deepEqual(
      await startsOf(service, ids),
      ids.map((_, n) => n * 200),
    );
    assert.ok(looks >= 10 && looks <= 14, `${looks} looks at ten jobs`);
  });

  test('a rate counts retries and applies to Fire now', async () => {
    const { service, receiver, sent } = await start({ answer: { status: 500 } });
    await setQueue(service, { rate: { count: 1, per: 'minute' }, retrySchedule: [1] });
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await sent(1);
    const [, retry] = await attemptsOf(service, job_id);
    await service.work.fireJob(service.teamId, retry?.id ?? '');
    await service.advance(MINUTE - 1);
    assert.equal(receiver.requests.length, 1);
    // What a rate lets start is gathered for a hundredth of a second.
    await service.advance(10);
    await sent(2);
  });

  test('a raised or removed rate applies to waiting jobs at once', async () => {
    const { service, receiver } = await start();
    await setQueue(service, { rate: { count: 1, per: 'hour' } });
    for (let n = 0; n < 4; n++) await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    await service.advance(SECOND);
    assert.equal(receiver.requests.length, 1);
    await setQueue(service, { rate: { count: 1, per: 'minute' } });
    await receiver.waitFor(2);
    await service.advance(59 * SECOND);
    assert.equal(receiver.requests.length, 2);
    await setQueue(service, { rate: null });
    await receiver.waitFor(4);
  });
}

function declareDeleting(start: StartScene) {
  test('a job that runs while its queue is deleted is neither recorded nor retried', async () => {
    const gate = makeGate();
    const { service, receiver } = await start();
    receiver.answer('/target', { status: 500, after: gate.opened });
    const { job_id, queue_id } = await scheduleJob(service, {
      url: `${receiver.url}/target`,
      callback_url: `${receiver.url}/callback`,
    });
    await receiver.waitFor(1);
    assert.equal(await service.work.deleteQueue(service.teamId, queue_id), 1);
    gate.open();
    await service.quiet();
    await service.advance(2 * MINUTE);
    assert.equal(receiver.requests.length, 1);
    assert.deepEqual(await attemptsOf(service, job_id), []);
    const again = await scheduleJob(service, { url: `${receiver.url}/after` });
    assert.notEqual(again.queue_id, queue_id, 'a new queue of that name');
    await receiver.waitFor(2);
  });
}

function declareFairness(start: StartScene) {
  test("a huge backlog of a queue delays neither another queue nor the team's crons", async () => {
    const { service, receiver } = await start({ env: { MAX_CONCURRENT_REQUESTS: '8' } });
    receiver.answer('/hanging', 'never');
    const posts = Array.from({ length: 40 }, () =>
      scheduleJob(service, { url: `${receiver.url}/hanging`, queue: 'hog' }),
    );
    await Promise.all(posts);
    await receiver.waitFor(6);
    await scheduleJob(service, { url: `${receiver.url}/free`, queue: 'others' });
    await receiver.next(({ url }) => url === '/free');
    await scheduleCron(service, { url: `${receiver.url}/cron` });
    await service.clock.advance(MINUTE);
    await receiver.next(({ url }) => url === '/cron');
  });
}
