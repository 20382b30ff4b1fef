import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Clock, wakeAt } from '#domain/base/clock';
import { newId } from '#domain/base/ids';
import { silentLog } from '#domain/base/log';
import type { Signal } from '#store/database/signals';
import { openStore, type Store } from '#store/store';
import { change } from '#store/database/rows';
import { forEachDatabase } from '#testing/process';
import type { CronInput } from './resources/cron.ts';
import type { JobInput } from './resources/job.ts';
import { createWork, type Work } from './work.ts';

const clock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (ms, wake) => {
    const timer = setTimeout(wake, ms).unref();
    return () => clearTimeout(timer);
  },
  at: (instant, wake) => wakeAt(clock, instant, wake),
};

const HOURLY: CronInput = {
  name: 'Nightly report',
  url: 'http://example.com/report',
  cronExpression: '@hourly',
  method: 'POST',
  headers: [['X-Api-Key', 'k']],
  payload: '{"a":1}',
  callbackUrl: null,
  timeoutSeconds: 30,
  alertThreshold: 2,
  isActive: true,
};

const JOB: JobInput = {
  queue: 'mails',
  url: 'http://example.com/send',
  method: 'POST',
  headers: [['X-Api-Key', 'k']],
  payloadJson: '{"to":1.0}',
  callbackUrl: 'http://example.com/done',
  delaySeconds: 3600,
};

/** Texts that are no ids, and ids of nothing. */
const UNKNOWN = [
  '',
  'x',
  "1' or '1'='1",
  '00000000-0000-0000-0000-000000000000',
  newId(Date.now()),
];

async function openDatabase(url: string): Promise<Store> {
  const location = url.startsWith('postgres')
    ? { kind: 'postgres' as const, url }
    : { kind: 'sqlite' as const, path: url.slice('sqlite:'.length) };
  return openStore({ location, appKey: randomBytes(32), clock, log: silentLog, serving: false });
}

forEachDatabase((_name, makeDatabaseUrl) => {
  let store: Store;
  let work: Work;
  let team: string;
  let others: string;
  let received: Signal[] = [];

  before(async () => {
    store = await openDatabase(await makeDatabaseUrl());
    work = createWork({ store });
    team = (await store.teams.create('ours', 'free', clock.now())).id;
    others = (await store.teams.create('theirs', 'free', clock.now())).id;
    // Signals are recorded where they are sent, because on Postgres other processes receive them.
    const send = store.signals.send.bind(store.signals);
    store.signals.send = (signals) => {
      received.push(...signals);
      send(signals);
    };
  });
  after(() => store.close());

  /** The signals that an action sends. */
  async function signalsOf(act: () => Promise<unknown>): Promise<Signal[]> {
    received = [];
    await act();
    return received;
  }

  describe('a cron', () => {
    test('a new cron runs at its next time, and engines are notified', async () => {
      const from = store.clock.now();
      let cron = null as Awaited<ReturnType<Work['createCron']>> | null;
      const signals = await signalsOf(async () => (cron = await work.createCron(team, HOURLY)));
      assert.ok(cron?.nextRunAt);
      assert.ok(cron.isActive);
      assert.equal(cron.nextRunAt % 3_600_000, 0);
      assert.ok(cron.nextRunAt > from && cron.nextRunAt <= from + 3_600_000);
      assert.deepEqual(signals, [{ kind: 'team-due', teamId: team, dueAt: cron.nextRunAt }]);
      assert.deepEqual(await work.findCron(team, cron.id), cron);
    });

    test('a new paused cron has no next run and wakes no engine', async () => {
      const signals = await signalsOf(async () => {
        const cron = await work.createCron(team, { ...HOURLY, isActive: false });
        assert.deepEqual([cron.isActive, cron.nextRunAt], [false, null]);
      });
      assert.deepEqual(signals, []);
    });

    test('a cron is paused and resumed', async () => {
      const { id } = await work.createCron(team, HOURLY);
      const paused = await work.pauseCron(team, id);
      assert.deepEqual([paused?.isActive, paused?.nextRunAt], [false, null]);
      const signals = await signalsOf(() => work.startCron(team, id));
      const started = await work.findCron(team, id);
      assert.ok(started?.isActive && started.nextRunAt);
      assert.deepEqual(signals, [{ kind: 'team-due', teamId: team, dueAt: started.nextRunAt }]);
    });

    test('a cron keeps its due time if it is resumed while active or edited with the same schedule', async () => {
      const { id } = await work.createCron(team, HOURLY);
      const past = store.clock.now() - 5;
      await change(store.database, 'crons', { team_id: team, id }, { next_run_at: past });
      assert.equal((await work.startCron(team, id))?.nextRunAt, past);
      const edited = await work.editCron(team, id, { ...HOURLY, name: 'Other' });
      assert.deepEqual([edited?.name, edited?.nextRunAt], ['Other', past]);
    });

    test('a cron gets a new time and keeps its assertions when its schedule is edited', async () => {
      const assertions = [{ kind: 'body_contains', text: 'fine' }] as const;
      const { id } = await work.createCron(team, { ...HOURLY, assertions });
      const edited = await work.editCron(team, id, { ...HOURLY, cronExpression: '0 0 1 1 *' });
      assert.ok(edited?.nextRunAt);
      assert.match(new Date(edited.nextRunAt).toISOString(), /-01-01T00:00:00\.000Z$/);
      assert.deepEqual(edited.assertions, assertions);
    });

    test("a paused cron stays paused if an edit doesn't mention it", async () => {
      const { id } = await work.createCron(team, { ...HOURLY, isActive: false });
      const { isActive: _, ...edit } = HOURLY;
      const edited = await work.editCron(team, id, { ...edit, cronExpression: '@daily' });
      assert.deepEqual([edited?.isActive, edited?.nextRunAt], [false, null]);
      assert.ok((await work.editCron(team, id, { ...edit, isActive: true }))?.nextRunAt);
    });
  });

  describe('a job', () => {
    test('a fired job is due now, and engines are notified', async () => {
      const { jobId, queueId } = await work.createJob(team, JOB);
      const signals = await signalsOf(async () =>
        assert.deepEqual(await work.fireJob(team, jobId), { kind: 'done' }),
      );
      const job = await work.findJob(team, jobId);
      assert.ok(job && job.scheduledAt <= store.clock.now());
      assert.deepEqual(signals, [{ kind: 'jobs', queueId, teamId: team, dueAt: job.scheduledAt }]);
    });
  });

  describe('a queue', () => {
    test('a changed queue keeps its other settings, and engines are notified', async () => {
      const { id } = await work.setQueue(team, 'kept', { concurrencyLimit: 3 });
      const signals = [{ kind: 'queue-changed', queueId: id, teamId: team }];
      assert.deepEqual(
        await signalsOf(() => work.setQueue(team, 'kept', { deadLetterDays: 2 })),
        signals,
      );
      assert.deepEqual(await signalsOf(() => work.pauseQueue(team, id)), signals);
      assert.deepEqual(await signalsOf(() => work.resumeQueue(team, id)), signals);
      const queue = await work.findQueueByName(team, 'kept');
      assert.deepEqual(
        [queue?.concurrencyLimit, queue?.deadLetterDays, queue?.isPaused],
        [3, 2, false],
      );
    });
  });

  test('ids of another team and malformed ids find and change nothing', async () => {
    const { id: cron } = await work.createCron(others, HOURLY);
    const { jobId: job } = await work.createJob(others, JOB);
    const { id: queue } = await work.setQueue(others, 'theirs', {});
    const [nothing, notFound] = [null, { kind: 'not-found' }];
    for (const id of [cron, job, queue, ...UNKNOWN]) {
      const found: [unknown, Promise<unknown>][] = [
        [nothing, work.findCron(team, id)],
        [nothing, work.startCron(team, id)],
        [nothing, work.pauseCron(team, id)],
        [nothing, work.editCron(team, id, HOURLY)],
        [nothing, work.runCronNow(team, id)],
        [false, work.deleteCron(team, id)],
        [[], work.listExecutions(team, id, 5)],
        [nothing, work.findExecution(team, id)],
        [nothing, work.findJob(team, id)],
        [notFound, work.fireJob(team, id)],
        [notFound, work.retryJob(team, id)],
        [notFound, work.deleteJob(team, id)],
        [[], work.listAttempts(team, id)],
        [nothing, work.findQueue(team, id)],
        [nothing, work.pauseQueue(team, id)],
        [nothing, work.deleteQueue(team, id)],
        [0, work.markAlerts(team, [id], true)],
        [0, work.markAlertsReadUpTo(team, id)],
        [[], work.listAlerts(team, { limit: -1, before: id })],
        [[], work.listAlerts(team, { limit: 9, after: id })],
      ];
      for (const [n, [expected, result]] of found.entries())
        assert.deepEqual(await result, expected, `${n} of ${id}`);
    }
    for (const id of UNKNOWN) {
      assert.equal(await work.findTeamOfCron(id), null);
      assert.equal(await work.findTeamOfJob(id), null);
    }
    assert.equal((await work.findCron(others, cron))?.isActive, true);
    assert.equal((await work.findJob(others, job))?.status, 'pending');
    assert.equal((await work.findQueue(others, queue))?.isPaused, false);
    assert.deepEqual(await Promise.all([work.findTeamOfCron(cron), work.findTeamOfJob(job)]), [
      others,
      others,
    ]);
    assert.ok(!(await work.listQueues(team)).some(({ name }) => name === 'theirs'));
  });
});
