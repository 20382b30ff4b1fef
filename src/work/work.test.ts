import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '#domain/base/instant';
import { newId } from '#domain/base/ids';
import { change } from '#store/database/rows';
import type { Signal } from '#store/database/signals';
import { forEachStore, type OpenTestStore } from '#testing/stores';
import { openWork } from '#testing/work';
import type { CronInput } from './resources/cron.ts';
import type { JobInput } from './resources/job.ts';

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
const UNKNOWN = ['', 'x', "1' or '1'='1", '00000000-0000-0000-0000-000000000000', newId(1)];

/** `signalsOf` gives the signals that an action sends. */
async function open(openTestStore: OpenTestStore) {
  const fixture = await openWork(openTestStore);
  const { store, work, team } = fixture;
  const signalsOf = async (act: () => Promise<unknown>) => {
    const sent: Signal[] = [];
    store.signals.send = (signals) => void sent.push(...signals);
    await act();
    return sent;
  };
  return { ...fixture, store, work, team: team.id, others: fixture.otherTeam.id, signalsOf };
}

forEachStore((_name, openTestStore, once) => {
  once(
    'engines are notified of a new or started cron at its next time, not of a paused one',
    async () => {
      await using fixture = await open(openTestStore);
      const { store, work, team, signalsOf } = fixture;
      const nextHour = store.clock.now() - (store.clock.now() % HOUR_MS) + HOUR_MS;
      const due = [{ kind: 'team-due', teamId: team, dueAt: nextHour }];
      assert.deepEqual(await signalsOf(() => work.createCron(team, HOURLY)), due);
      const paused = await signalsOf(() => work.createCron(team, { ...HOURLY, isActive: false }));
      assert.deepEqual(paused, []);
      const { id } = await work.createCron(team, HOURLY);
      const stopped = await work.pauseCron(team, id);
      assert.deepEqual([stopped?.isActive, stopped?.nextRunAt], [false, null]);
      assert.deepEqual(await signalsOf(() => work.startCron(team, id)), due);
      const started = await work.findCron(team, id);
      assert.deepEqual([started?.isActive, started?.nextRunAt], [true, nextHour]);
    },
  );

  once(
    'a cron gets a new time only by another schedule, and an edit keeps what it does not mention',
    async () => {
      await using fixture = await open(openTestStore);
      const { store, work, team } = fixture;
      const assertions = [{ kind: 'body_contains', text: 'fine' }] as const;
      const { id } = await work.createCron(team, { ...HOURLY, assertions });
      const past = store.clock.now() - 5;
      await change(store.database, 'crons', { team_id: team, id }, { next_run_at: past });
      assert.equal((await work.startCron(team, id))?.nextRunAt, past);
      const renamed = await work.editCron(team, id, { ...HOURLY, name: 'Other' });
      assert.deepEqual([renamed?.name, renamed?.nextRunAt], ['Other', past]);
      const edited = await work.editCron(team, id, { ...HOURLY, cronExpression: '0 0 1 1 *' });
      assert.match(new Date(edited?.nextRunAt ?? 0).toISOString(), /-01-01T00:00:00\.000Z$/);
      assert.deepEqual(edited?.assertions, assertions);
      await work.pauseCron(team, id);
      const { isActive: _, ...edit } = HOURLY;
      const paused = await work.editCron(team, id, { ...edit, cronExpression: '@daily' });
      assert.deepEqual([paused?.isActive, paused?.nextRunAt], [false, null]);
      assert.ok((await work.editCron(team, id, { ...edit, isActive: true }))?.nextRunAt);
    },
  );

  once(
    'engines are notified of a fired job and of each change of a queue, which keeps other settings',
    async () => {
      await using fixture = await open(openTestStore);
      const { store, work, team, signalsOf } = fixture;
      const { jobId, queueId } = await work.createJob(team, JOB);
      const fired = [{ kind: 'jobs', queueId, teamId: team, dueAt: store.clock.now() }];
      assert.deepEqual(await signalsOf(() => work.fireJob(team, jobId)), fired);
      const { id } = await work.setQueue(team, 'kept', { concurrencyLimit: 3 });
      const changed = [{ kind: 'queue-changed', queueId: id, teamId: team }];
      for (const act of [
        () => work.setQueue(team, 'kept', { deadLetterDays: 2 }),
        () => work.pauseQueue(team, id),
        () => work.resumeQueue(team, id),
      ])
        assert.deepEqual(await signalsOf(act), changed);
      const { concurrencyLimit, deadLetterDays } = (await work.findQueueByName(team, 'kept')) ?? {};
      assert.deepEqual([concurrencyLimit, deadLetterDays], [3, 2]);
    },
  );

  test('ids of another team and malformed ids find and change nothing', async () => {
    await using fixture = await open(openTestStore);
    const { work, team, others } = fixture;
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
    assert.equal(await work.findTeamOfCron(cron), others);
    assert.equal(await work.findTeamOfJob(job), others);
    assert.deepEqual(await work.listQueues(team), []);
  });
});
