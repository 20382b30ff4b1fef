/** §3.2: failed attempts, their retries, dead letters, Retry, the monthly limit and the worker's failure; §3.4, §3.6. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AnswerOrNot } from '#testing/receiver';
import {
  attemptsOf,
  makeGate,
  MINUTE,
  requestsTo,
  scheduleJob,
  SECOND,
  setQueue,
  statusesOf,
} from '#testing/scheduling';
import type { TestService } from '#testing/service';
import { type StartScene, useScenes } from '#testing/scenes';
import { openSqliteTestStore } from '#testing/stores';

const start = useScenes(openSqliteTestStore);
describe('attempt → retried as a new job with a new id', () => declareRetries(start));
describe('failed attempts', () => declareReasons(start));
describe('attempt → dead-lettered', () => declareDeadLetters(start));
describe('Failed → Retry', () => declareRetry(start));

function declareRetries(start: StartScene) {
  test('the default schedule: after 1 minute, 30 minutes, 3 hours, then dead-lettered', async () => {
    // A target can't change the schedule.
    const gate = makeGate();
    const answer = { status: 503, headers: { 'Retry-After': '300' }, after: gate.opened };
    const { service, receiver } = await start({ answer });
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    // The wait is counted from the end of the attempt, however long it took (§3.4).
    await service.clock.advance(20 * SECOND);
    gate.open();
    for (const [n, wait] of [1, 30, 180].entries()) {
      await service.quiet();
      await service.advance(wait * MINUTE - 1);
      assert.equal(receiver.requests.length, n + 1, 'nothing goes before its time');
      await service.advance(1);
      await receiver.waitFor(n + 2);
    }
    await service.quiet();
    const attempts = await attemptsOf(service, job_id);
    assert.deepEqual(
      attempts.map(({ status, attemptNumber }) => [status, attemptNumber]),
      [
        ['retried', 1],
        ['retried', 2],
        ['retried', 3],
        ['dead_lettered', 4],
      ],
    );
    assert.equal(new Set(attempts.map(({ id }) => id)).size, 4);
    assert.ok(attempts.every(({ originalId }) => originalId === job_id));
  });
}

function declareReasons(start: StartScene) {
  test('every kind of failure is retried', async () => {
    const { service, receiver } = await start();
    const { service: closed } = await start({ env: { ALLOWED_NETWORKS: '' } });
    await setQueue(service, { assertions: [{ kind: 'body_contains', text: 'fine' }] });
    const answers: [path: string, answer: AnswerOrNot, reason: string | null][] = [
      ['/4xx', { status: 404 }, 'http_client_error'],
      ['/3xx', { status: 302, headers: { location: '/elsewhere' } }, null],
      ['/assertion', { body: 'not what was hoped for' }, 'assertion_failed'],
      ['/reset', 'reset', 'connection_error'],
      ['/never', 'never', 'timeout'],
    ];
    for (const [path, answer, reason] of answers) {
      receiver.answer(path, answer);
      const { job_id } = await scheduleJob(service, { url: receiver.url + path });
      await receiver.next(({ url }) => url === path);
      if (reason === 'timeout') await service.clock.advance(30 * SECOND);
      await expectRetried(service, job_id, reason);
    }
    const blocked = await scheduleJob(closed, { url: receiver.url });
    await expectRetried(closed, blocked.job_id, 'blocked_address');
    assert.equal(receiver.requests.length, answers.length);
  });
}

async function expectRetried(service: TestService, jobId: string, reason: string | null) {
  await service.quiet();
  const [failed, retry, ...others] = await attemptsOf(service, jobId);
  assert.deepEqual([failed?.status, failed?.reason], ['retried', reason]);
  assert.deepEqual([retry?.status, retry?.attemptNumber], ['pending', 2]);
  assert.equal(retry?.scheduledAt, service.clock.now() + MINUTE);
  assert.equal(others.length, 0);
}

function declareDeadLetters(start: StartScene) {
  test('a queue without automatic retries does not retry a failed job', async () => {
    const { service, receiver } = await start({ answer: { status: 500 } });
    await setQueue(service, { retriesEnabled: false });
    const { job_id } = await scheduleJob(service, {
      url: `${receiver.url}/target`,
      callback_url: `${receiver.url}/callback`,
    });
    await receiver.waitFor(2);
    await service.advance(2 * MINUTE);
    assert.equal(requestsTo(receiver, '/target').length, 1);
    assert.equal(requestsTo(receiver, '/callback').length, 1);
    assert.deepEqual(await statusesOf(service, job_id), ['dead_lettered']);
  });
}

function declareRetry(start: StartScene) {
  test('Retry is refused unless the job has failed for good', async () => {
    const { service, receiver, sent } = await start({ answer: { status: 500 } });
    receiver.answer('/good', {});
    const retried = await scheduleJob(service, { url: receiver.url });
    const good = await scheduleJob(service, { url: `${receiver.url}/good` });
    const waiting = await scheduleJob(service, { url: `${receiver.url}/good`, delay: 600 });
    await sent(2);
    for (const { job_id } of [retried, good, waiting]) {
      const outcome = await service.work.retryJob(service.teamId, job_id);
      assert.deepEqual(outcome, { kind: 'not-failed' });
    }
    const jobs = await service.work.listJobs(service.teamId, { limit: 100 });
    assert.equal(jobs.length, 4, 'three jobs and one retry; nothing was added');
  });
}
