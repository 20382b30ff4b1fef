/** §8 and §2.7: the monthly quota of requests, at sending; §8.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useStarted } from '#testing/hooks';
import { eventually } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { jobEnd, makeOnceQueue, ONCE, postJob, runCron, runJob } from '#testing/runs';
import {
  attemptsOf,
  executionsOf,
  MINUTE,
  scheduleCron,
  scheduleJob,
  SECOND,
  setQueue,
  statusesOf,
  startSecondEngine,
} from '#testing/scheduling';
import { startService, type TestService } from '#testing/service';
import { forEachStore } from '#testing/stores';
import { runAlerts } from '#testing/factories';
import { aUser } from '#testing/users';

const OVER = { status: 'failed', reason: 'limit_exceeded', errorMessage: 'Monthly limit reached' };

function outcomeOf({ status, reason, errorMessage }: typeof OVER | Record<string, unknown>) {
  return { status, reason, errorMessage };
}

async function usedBy({ store, teamId, clock }: TestService): Promise<number> {
  return store.usage.usedInMonth(teamId, clock.now());
}

forEachStore((dialect, openTestStore, once) => {
  const target = useStarted(startReceiver);

  /** A service whose team may send this many runs a month, and the number of requests sent since. */
  async function startLimited(plans: string, plan: string) {
    const env = { PLANS: `unlimited=unlimited,${plans}` };
    const service = await startService(openTestStore, { env, plan });
    await makeOnceQueue(service);
    const sentBefore = target.requests.length;
    return { service, sent: () => target.requests.length - sentBefore };
  }

  once('of many jobs at once exactly as many are sent as the plan allows', async () => {
    const { service, sent } = await startLimited('small=70', 'small');
    await using _ = service;
    const posts = Array.from({ length: 100 }, (_, n) =>
      postJob(service, { url: `${target.url}/${n}` }),
    );
    const ids = await Promise.all(posts);
    const ends = await Promise.all(ids.map((id) => jobEnd(service, id)));
    const over = ends.filter(({ status }) => status !== 'success');
    assert.deepEqual([sent(), over.length], [70, 30]);
    for (const job of over) assert.deepEqual(outcomeOf({ ...job }), OVER);
    assert.equal(await usedBy(service), 70);
  });

  once('every run counts toward the limit, retries too, but callbacks do not', async () => {
    const { service, sent } = await startLimited('five=5', 'five');
    await using _ = service;
    target.answer('/failing', { status: 500 });
    target.answer('/cb', { status: 500 });
    await setQueue(service, { retrySchedule: [1, 1] }, 'retried');
    const callback_url = `${target.url}/cb`;
    const job = { queue: 'retried', url: `${target.url}/failing`, callback_url };
    const { job_id } = await scheduleJob(service, job);
    for (let n = 1; n <= 3; n++) {
      await eventually(async () => (await usedBy(service)) === n);
      await service.quiet();
      await service.advance(SECOND);
    }
    assert.deepEqual(await statusesOf(service, job_id), ['retried', 'retried', 'dead_lettered']);
    const run = await runCron(service, { url: target.url, callback_url });
    assert.equal(run.status, 'success');
    assert.equal(await usedBy(service), 4);
    assert.equal((await runJob(service, { url: target.url })).status, 'success');
    assert.deepEqual(outcomeOf({ ...(await runJob(service, { url: target.url })) }), OVER);
    await service.quiet();
    assert.equal(sent(), 5 + 2, 'five runs and two callbacks');
    assert.equal(await usedBy(service), 5);
  });

  once('jobs over the limit fail without retry, dead letter, callback or alert', async () => {
    const { service, sent } = await startLimited('none=0', 'none');
    await using _ = service;
    await setQueue(service, { emailAlerts: true });
    const callback_url = `${target.url}/cb`;
    const { job_id } = await scheduleJob(service, { url: target.url, callback_url });
    const job = await jobEnd(service, job_id);
    assert.deepEqual(outcomeOf({ ...job }), OVER);
    assert.deepEqual([job.responseStatus, job.durationMs, job.retriedAs], [null, 0, null]);
    assert.ok(job.completedAt !== null);
    await service.advance(2 * MINUTE);
    assert.equal((await attemptsOf(service, job_id)).length, 1, 'no retry');
    assert.deepEqual(await service.store.callbacks.scanWaiting(), []);
    assert.deepEqual(await runAlerts(service.store, service.teamId, { limit: 10 }), []);
    assert.equal(sent(), 0);
    assert.equal(await usedBy(service), 0, 'what is not sent does not count');
  });

  test('crons over the limit record a failed run with limit_exceeded each time', async () => {
    const { service, sent } = await startLimited('two=2', 'two');
    await using _ = service;
    const fields = { url: target.url, alert_threshold: 1 };
    const { id } = await scheduleCron(service, fields);
    for (let minute = 0; minute < 5; minute++) await service.advance(MINUTE);
    const runs = await executionsOf(service, id);
    assert.deepEqual(
      runs.map(({ status, reason }) => reason ?? status),
      ['success', 'success', 'limit_exceeded', 'limit_exceeded', 'limit_exceeded'],
    );
    for (const run of runs.slice(2)) assert.deepEqual(outcomeOf({ ...run }), OVER);
    const scheduledFor = runs.map((run) => Number(run.scheduledFor));
    assert.deepEqual(
      scheduledFor.map((at) => at - (scheduledFor[0] ?? 0)),
      [0, 1, 2, 3, 4].map((n) => n * MINUTE),
    );
    const cron = await service.work.findCron(service.teamId, id);
    assert.equal(cron?.nextRunAt, (scheduledFor[4] ?? 0) + MINUTE);
    const byHand = await runCron(service, fields);
    assert.deepEqual(outcomeOf({ ...byHand }), OVER, 'Run now counts too');
    await service.quiet();
    assert.equal(sent(), 2);
    assert.deepEqual(await runAlerts(service.store, service.teamId, { limit: 10 }), []);
  });

  once('sending resumes at midnight UTC of the next month and not before', async () => {
    const { service, sent } = await startLimited('one=1', 'one');
    await using _ = service;
    service.clock.jumpTo('2027-01-31T23:58:00Z');
    await service.advance(SECOND);
    assert.equal((await runJob(service, { url: target.url })).status, 'success');
    const { id } = await scheduleCron(service, { url: target.url });
    const { job_id } = await scheduleJob(service, { queue: ONCE, url: target.url, delay: 118 });
    assert.deepEqual(outcomeOf({ ...(await runJob(service, { url: target.url })) }), OVER);
    await service.advance(118 * SECOND);
    assert.equal(new Date(service.clock.now()).toISOString(), '2027-01-31T23:59:59.000Z');
    assert.deepEqual(outcomeOf({ ...(await jobEnd(service, job_id)) }), OVER);
    assert.equal(sent(), 1);
    await service.advance(SECOND);
    assert.equal(sent(), 2);
    assert.deepEqual(
      (await executionsOf(service, id)).map(({ status }) => status),
      ['failed', 'success'],
    );
    assert.equal(await usedBy(service), 1, 'the new month counts from nothing');
    assert.deepEqual(outcomeOf({ ...(await runJob(service, { url: target.url })) }), OVER);
  });

  once('after an upgrade runs are sent, and jobs over the limit can be retried', async () => {
    const { service } = await startLimited('small=1,large=3', 'small');
    await using _ = service;
    await runJob(service, { url: target.url });
    assert.deepEqual(outcomeOf({ ...(await runJob(service, { url: target.url })) }), OVER);
    await service.people.operator.setPlan(service.teamId, 'large');
    for (let n = 0; n < 2; n++) {
      assert.equal((await runJob(service, { url: target.url })).status, 'success');
    }
    const over = await runJob(service, { url: target.url });
    assert.deepEqual(outcomeOf({ ...over }), OVER);
    await service.people.operator.setPlan(service.teamId, 'unlimited');
    const retried = await service.work.retryJob(service.teamId, over.id);
    assert.ok(retried.kind === 'done', 'what failed stays failed until somebody retries it');
    assert.equal((await jobEnd(service, retried.jobId)).status, 'success');
    assert.equal(await usedBy(service), 4);
  });

  once('each team has its own monthly limit', async () => {
    const { service } = await startLimited('none=0', 'none');
    await using _ = service;
    const other = await aUser(service, 'bob@example.com');
    const headers = { Authorization: `Bearer ${other.apiToken}` };
    const url = `${target.url}/other-team`;
    const answer = await service.post('/api/jobs', { queue: 'q', url }, headers);
    assert.equal(answer.status, 201);
    await target.next((request) => request.url === '/other-team');
    assert.deepEqual(outcomeOf({ ...(await runJob(service, { url })) }), OVER);
  });

  if (dialect === 'postgres') {
    test('two processes together keep the limit exactly', async () => {
      const { service, sent } = await startLimited('some=70', 'some');
      await using _ = service;
      await using second = await startSecondEngine(service, {
        byPlan: new Map([['some', 70]]),
        other: null,
      });
      const bodies = Array.from({ length: 200 }, (_, n) => ({
        url: target.url,
        queue: `q-${n % 7}`,
      }));
      const ids = await Promise.all(bodies.map((body) => postJob(service, body)));
      const ends = await Promise.all(ids.map((id) => jobEnd(service, id)));
      await second.quiet();
      assert.equal(ends.filter(({ status }) => status === 'success').length, 70);
      assert.equal(ends.filter(({ reason }) => reason === 'limit_exceeded').length, 130);
      assert.equal(sent(), 70);
      assert.equal(await usedBy(service), 70);
    });
  }
});
