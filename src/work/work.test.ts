import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Clock, wakeAt } from '#domain/clock';
import { newId } from '#domain/ids';
import { silentLog } from '#domain/log';
import type { Signal } from '#store/database/signals';
import { openStore, type Store } from '#store/store';
import { forEachDatabase } from '#testing/process';
import type { CronInput } from './resources/cron.ts';
import type { JobInput } from './resources/job.ts';
import { createWork, type Work } from './work.ts';
import { NO_LIMITS } from '#store/figures/usage';

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
  let heard: Signal[] = [];

  before(async () => {
    store = await openDatabase(await makeDatabaseUrl());
    work = createWork({ store });
    team = (await store.teams.create('ours', 'free', clock.now())).id;
    others = (await store.teams.create('theirs', 'free', clock.now())).id;
    // Signals are recorded where they are sent, because on Postgres other processes receive them.
    const send = store.signals.send.bind(store.signals);
    store.signals.send = (signals) => {
      heard.push(...signals);
      send(signals);
    };
  });
  after(() => store.close());

  /** The signals that an action sends. */
  async function signalsOf(act: () => Promise<unknown>): Promise<Signal[]> {
    heard = [];
    await act();
    return heard;
  }

  /** Dead-letters a job, as if the node that ran it had died. */
  async function failJob(jobId: string): Promise<void> {
    await store.jobs.fire(team, [jobId]);
    const job = await work.findJob(team, jobId);
    assert.ok(job);
    const now = Math.max(store.clock.now(), job.scheduledAt);
    const nodeId = await store.nodes.join(now, 60_000);
    const { claimed } = await store.runs.claimJobs([{ id: job.queueId, slots: 1 }], {
      nodeId,
      now,
      limits: NO_LIMITS,
    });
    assert.deepEqual(
      claimed.map(({ id }) => id),
      [jobId],
    );
    const heir = await store.nodes.join(now, 60_000);
    await store.nodes.recoverDead(heir, now + 120_000, 'all');
    assert.equal((await work.findJob(team, jobId))?.status, 'dead_lettered');
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

    test('with the same name is another cron', async () => {
      const one = await work.createCron(team, HOURLY);
      const other = await work.createCron(team, HOURLY);
      assert.notEqual(one.id, other.id);
    });

    test('is paused and started again', async () => {
      const { id } = await work.createCron(team, HOURLY);
      const paused = await work.pauseCron(team, id);
      assert.deepEqual([paused?.isActive, paused?.nextRunAt], [false, null]);
      const signals = await signalsOf(() => work.startCron(team, id));
      const started = await work.findCron(team, id);
      assert.ok(started?.isActive && started.nextRunAt);
      assert.deepEqual(signals, [{ kind: 'team-due', teamId: team, dueAt: started.nextRunAt }]);
    });

    test('keeps a time that is due when it is started while running, or edited under the same schedule', async () => {
      const { id } = await work.createCron(team, HOURLY);
      const past = store.clock.now() - 5;
      await store.crons.pause(team, id);
      await store.crons.start(team, id, () => past);
      assert.equal((await work.startCron(team, id))?.nextRunAt, past);
      const edited = await work.editCron(team, id, { ...HOURLY, name: 'Other' });
      assert.deepEqual([edited?.name, edited?.nextRunAt], ['Other', past]);
    });

    test('gets a new time when its schedule is edited, and keeps its assertions', async () => {
      const assertions = [{ kind: 'body_contains', text: 'fine' }] as const;
      const { id } = await work.createCron(team, { ...HOURLY, assertions });
      const edited = await work.editCron(team, id, { ...HOURLY, cronExpression: '0 0 1 1 *' });
      assert.ok(edited?.nextRunAt);
      assert.match(new Date(edited.nextRunAt).toISOString(), /-01-01T00:00:00\.000Z$/);
      assert.deepEqual(edited.assertions, assertions);
    });

    test('stays paused when it is edited without a word on that', async () => {
      const { id } = await work.createCron(team, { ...HOURLY, isActive: false });
      const { isActive: _, ...edit } = HOURLY;
      const edited = await work.editCron(team, id, { ...edit, cronExpression: '@daily' });
      assert.deepEqual([edited?.isActive, edited?.nextRunAt], [false, null]);
      assert.ok((await work.editCron(team, id, { ...edit, isActive: true }))?.nextRunAt);
    });

    test('Run now runs a cron in addition to its schedule, paused or not', async () => {
      const { id } = await work.createCron(team, { ...HOURLY, isActive: false });
      const signals = await signalsOf(async () => {
        const execution = await work.runCronNow(team, id);
        assert.deepEqual([execution?.status, execution?.scheduledFor], ['pending', null]);
      });
      assert.equal(signals[0]?.kind, 'team-due');
      assert.equal((await work.listExecutions(team, id, 10)).length, 1);
      assert.equal((await work.findCron(team, id))?.nextRunAt, null);
    });

    test('takes assertions that can be read, and none that cannot', async () => {
      const { id } = await work.createCron(team, HOURLY);
      const list = [{ kind: 'response_time_under', ms: 500 }];
      const done = await work.setCronAssertions(team, id, list);
      assert.ok(done.kind === 'done');
      assert.deepEqual(done.changed.assertions, list);
      const refused = await work.setCronAssertions(team, id, [{ kind: 'no such' }]);
      assert.equal(refused.kind, 'refused');
      assert.deepEqual((await work.findCron(team, id))?.assertions, list);
    });

    test('is deleted with its executions', async () => {
      const { id } = await work.createCron(team, HOURLY);
      const execution = await work.runCronNow(team, id);
      assert.equal(await work.deleteCron(team, id), true);
      assert.equal(await work.findCron(team, id), null);
      assert.equal(await work.findExecution(team, execution?.id ?? ''), null);
      assert.equal(await work.deleteCron(team, id), false);
    });

    test('of another team does not exist', async () => {
      const { id } = await work.createCron(others, HOURLY);
      assert.equal(await work.findCron(team, id), null);
      assert.equal(await work.pauseCron(team, id), null);
      assert.equal(await work.editCron(team, id, HOURLY), null);
      assert.equal(await work.runCronNow(team, id), null);
      assert.equal(await work.deleteCron(team, id), false);
      assert.equal((await work.findCron(others, id))?.isActive, true);
      assert.equal(await work.findTeamOfCron(id), others);
    });

    for (const id of UNKNOWN) {
      test(`of the id ${JSON.stringify(id)} does not exist`, async () => {
        assert.equal(await work.findCron(team, id), null);
        assert.equal(await work.startCron(team, id), null);
        assert.equal(await work.pauseCron(team, id), null);
        assert.equal(await work.editCron(team, id, HOURLY), null);
        assert.equal(await work.runCronNow(team, id), null);
        assert.equal((await work.setCronAssertions(team, id, [])).kind, 'not-found');
        assert.equal(await work.deleteCron(team, id), false);
        assert.deepEqual(await work.listExecutions(team, id, 5), []);
        assert.equal(await work.findExecution(team, id), null);
        assert.equal(await work.findTeamOfCron(id), null);
      });
    }
  });

  describe('a job', () => {
    test('is accepted with its queue and due after its delay', async () => {
      const from = store.clock.now();
      const created = await work.createJob(team, JOB);
      assert.ok(created.scheduledAt >= from + 3_600_000);
      const job = await work.findJob(team, created.jobId);
      assert.equal(job?.payload, '{"to":1.0}');
      assert.deepEqual([job?.status, job?.queue, job?.attemptNumber], ['pending', 'mails', 1]);
      assert.deepEqual([job?.originalId, job?.queueId], [created.jobId, created.queueId]);
    });

    test('a fired job is due now, and engines are notified', async () => {
      const { jobId, queueId } = await work.createJob(team, JOB);
      const signals = await signalsOf(async () =>
        assert.deepEqual(await work.fireJob(team, jobId), { kind: 'done' }),
      );
      const job = await work.findJob(team, jobId);
      assert.ok(job && job.scheduledAt <= store.clock.now());
      assert.deepEqual(signals, [{ kind: 'jobs', queueId, teamId: team, dueAt: job.scheduledAt }]);
    });

    test('that waits is not retried, and deleted for good', async () => {
      const { jobId } = await work.createJob(team, JOB);
      assert.deepEqual(await work.retryJob(team, jobId), { kind: 'not-failed' });
      assert.deepEqual(await work.deleteJob(team, jobId), { kind: 'done' });
      assert.equal(await work.findJob(team, jobId), null);
      assert.deepEqual(await work.deleteJob(team, jobId), { kind: 'not-found' });
    });

    test('a failed job is retried as a new one and stays unchanged', async () => {
      const { jobId } = await work.createJob(team, { ...JOB, queue: 'failing' });
      await failJob(jobId);
      const before = await work.findJob(team, jobId);
      const outcome = await work.retryJob(team, jobId);
      assert.ok(outcome.kind === 'done');
      const retry = await work.findJob(team, outcome.jobId);
      assert.deepEqual(
        [retry?.status, retry?.attemptNumber, retry?.originalId],
        ['pending', 1, outcome.jobId],
      );
      assert.deepEqual(
        [retry?.url, retry?.method, retry?.headers, retry?.payload, retry?.callbackUrl],
        [before?.url, before?.method, before?.headers, before?.payload, before?.callbackUrl],
      );
      const { retriedAs, ...after } = (await work.findJob(team, jobId)) ?? assert.fail();
      const { retriedAs: _, ...unchanged } = before ?? assert.fail();
      assert.deepEqual(after, unchanged);
      assert.equal(retriedAs, outcome.jobId);
    });

    test('that failed is not fired, and can be deleted', async () => {
      const { jobId } = await work.createJob(team, { ...JOB, queue: 'broken' });
      await failJob(jobId);
      assert.deepEqual(await work.fireJob(team, jobId), { kind: 'not-pending' });
      assert.deepEqual(await work.deleteJob(team, jobId), { kind: 'done' });
    });

    test('of another team does not exist', async () => {
      const { jobId } = await work.createJob(others, JOB);
      assert.equal(await work.findJob(team, jobId), null);
      assert.deepEqual(await work.fireJob(team, jobId), { kind: 'not-found' });
      assert.deepEqual(await work.retryJob(team, jobId), { kind: 'not-found' });
      assert.deepEqual(await work.deleteJob(team, jobId), { kind: 'not-found' });
      assert.equal((await work.findJob(others, jobId))?.status, 'pending');
      assert.equal(await work.findTeamOfJob(jobId), others);
    });

    test('jobs are listed newest first by queue and status up to a limit', async () => {
      const made = [];
      for (let n = 0; n < 3; n++) made.push(await work.createJob(team, { ...JOB, queue: 'lists' }));
      const queueId = made[0]?.queueId ?? '';
      const ids = made.map(({ jobId }) => jobId).toReversed();
      const list = async (filter: object) =>
        (await work.listJobs(team, { queueId, limit: 100, ...filter })).map(({ id }) => id);
      assert.deepEqual(await list({}), ids);
      assert.deepEqual(await list({ limit: 2 }), ids.slice(0, 2));
      assert.deepEqual(await list({ limit: -1 }), ids.slice(0, 1));
      assert.deepEqual(await list({ status: 'success' }), []);
      assert.deepEqual(await list({ queueId: 'no id' }), []);
      assert.deepEqual(await work.readResponseBodies(team, [...ids, 'no id']), new Map());
    });

    for (const id of UNKNOWN) {
      test(`of the id ${JSON.stringify(id)} does not exist`, async () => {
        assert.equal(await work.findJob(team, id), null);
        assert.deepEqual(await work.fireJob(team, id), { kind: 'not-found' });
        assert.deepEqual(await work.retryJob(team, id), { kind: 'not-found' });
        assert.deepEqual(await work.deleteJob(team, id), { kind: 'not-found' });
        assert.deepEqual(await work.listAttempts(team, id), []);
        assert.equal(await work.findTeamOfJob(id), null);
      });
    }
  });

  describe('a queue', () => {
    test('a new queue has the defaults of §2.3', async () => {
      const queue = await work.setQueue(team, 'fresh', { timeoutSeconds: 5 });
      const { teamId: _, id: __, createdAt: ___, ...settings } = queue;
      assert.deepEqual(settings, {
        name: 'fresh',
        timeoutSeconds: 5,
        retrySchedule: [60, 1800, 10_800],
        retriesEnabled: true,
        concurrencyLimit: null,
        rate: null,
        assertions: [],
        emailAlerts: false,
        deadLetterDays: 14,
        isPaused: false,
        alertSettings: {
          channels: {},
          note: null,
          runbookUrl: null,
          remindHours: null,
          slow: null,
        },
        tags: [],
      });
    });

    test('a changed queue keeps its other settings, and engines are notified', async () => {
      const { id } = await work.setQueue(team, 'kept', { concurrencyLimit: 3 });
      const told = [{ kind: 'queue-changed', queueId: id, teamId: team }];
      assert.deepEqual(
        await signalsOf(() => work.setQueue(team, 'kept', { deadLetterDays: 2 })),
        told,
      );
      assert.deepEqual(await signalsOf(() => work.pauseQueue(team, id)), told);
      assert.deepEqual(await signalsOf(() => work.resumeQueue(team, id)), told);
      const queue = await work.findQueueByName(team, 'kept');
      assert.deepEqual(
        [queue?.concurrencyLimit, queue?.deadLetterDays, queue?.isPaused],
        [3, 2, false],
      );
    });

    test('is paused and resumed, and its jobs are accepted meanwhile', async () => {
      const { id } = await work.setQueue(team, 'held', {});
      assert.equal((await work.pauseQueue(team, id))?.isPaused, true);
      const { queueId } = await work.createJob(team, { ...JOB, queue: 'held' });
      assert.equal(queueId, id);
      assert.equal((await work.findQueue(team, id))?.isPaused, true);
      assert.equal((await work.resumeQueue(team, id))?.isPaused, false);
    });

    test('is deleted with its jobs', async () => {
      const { jobId, queueId } = await work.createJob(team, { ...JOB, queue: 'doomed' });
      assert.equal(await work.deleteQueue(team, queueId), 1);
      assert.equal(await work.findJob(team, jobId), null);
      assert.equal(await work.deleteQueue(team, queueId), null);
    });

    test('of another team, or of no id at all, does not exist', async () => {
      const { id } = await work.setQueue(others, 'theirs', {});
      for (const unknown of [id, ...UNKNOWN]) {
        assert.equal(await work.findQueue(team, unknown), null);
        assert.equal(await work.pauseQueue(team, unknown), null);
        assert.equal(await work.deleteQueue(team, unknown), null);
      }
      assert.equal((await work.findQueue(others, id))?.isPaused, false);
      assert.ok(!(await work.listQueues(team)).some(({ name }) => name === 'theirs'));
    });
  });
});
