/** §3.2: failed attempts, their retries, dead letters, Retry, the monthly limit and the worker's failure; §3.4, §3.6. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aClaimedJob, aNode, declareDead } from '#testing/factories';
import { type AnswerOrNot, type Receiver, startReceiver } from '#testing/receiver';
import {
  attemptsOf,
  makeGate,
  MINUTE,
  requestsTo,
  scheduleJob,
  SECOND,
  setQueue,
} from '#testing/scheduling';
import { startService } from '#testing/service';
import { forEachStore, type OpenTestStore } from '#testing/stores';

forEachStore((_, openTestStore) => {
  describe('attempt → retried as a new job with a new id', () => declareRetries(openTestStore));
  describe('failed attempts', () => declareReasons(openTestStore));
  describe('attempt → dead-lettered', () => declareDeadLetters(openTestStore));
  describe('Failed → Retry', () => declareRetry(openTestStore));
  describe('(any) → monthly limit reached', () => declareMonthlyLimit(openTestStore));
  describe('(any) → service worker fails', () => declareWorkerFailure(openTestStore));
});

function declareRetries(openTestStore: OpenTestStore) {
  test('the default schedule: after 1 minute, 30 minutes, 3 hours, then dead-lettered', async () => {
    await using receiver = await startReceiver({ answer: { status: 503 } });
    await using service = await startService(openTestStore);
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
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
      attempts.map(({ status }) => status),
      ['retried', 'retried', 'retried', 'dead_lettered'],
    );
    assert.deepEqual(
      attempts.map(({ attemptNumber }) => attemptNumber),
      [1, 2, 3, 4],
    );
    assert.equal(new Set(attempts.map(({ id }) => id)).size, 4);
    assert.ok(attempts.every(({ originalId }) => originalId === job_id));
  });

  test('a retry sends the same request', async () => {
    await using receiver = await startReceiver({ answer: { status: 500 } });
    await using service = await startService(openTestStore);
    await scheduleJob(service, {
      url: `${receiver.url}/hook?a=1`,
      method: 'PUT',
      headers: { 'X-Bell': 'ding' },
      payload: { b: 2 },
    });
    await receiver.waitFor(1);
    await service.quiet();
    await service.advance(MINUTE);
    const [first, second] = await receiver.waitFor(2);
    for (const part of ['method', 'url', 'rawHeaders', 'body'] as const) {
      assert.deepEqual(second?.[part], first?.[part]);
    }
  });

  test('the wait is counted from the end of the attempt, however long it took (§3.4)', async () => {
    const gate = makeGate();
    await using receiver = await startReceiver({ answer: { status: 500, after: gate.opened } });
    await using service = await startService(openTestStore);
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    await service.clock.advance(20 * SECOND);
    gate.open();
    await service.quiet();
    const [first, retry] = await attemptsOf(service, job_id);
    assert.equal(first?.durationMs, 20_000);
    assert.equal(retry?.scheduledAt, service.clock.now() + MINUTE);
    await service.advance(MINUTE - 1);
    assert.equal(receiver.requests.length, 1);
    await service.advance(1);
    await receiver.waitFor(2);
  });

  test("a target's Retry-After does not move the retry (§3.4)", async () => {
    const answer = { status: 503, headers: { 'Retry-After': '300' } };
    await using receiver = await startReceiver({ answer });
    await using service = await startService(openTestStore);
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    await service.quiet();
    const [, retry] = await attemptsOf(service, job_id);
    assert.equal(retry?.scheduledAt, service.clock.now() + MINUTE);
    await service.advance(MINUTE);
    await receiver.waitFor(2);
  });

  test('an attempt that will be retried sends no callback; its successful retry does', async () => {
    await using receiver = await startReceiver();
    receiver.answer('/target', [{ status: 500 }, { status: 200 }]);
    await using service = await startService(openTestStore);
    const { job_id } = await scheduleJob(service, {
      url: `${receiver.url}/target`,
      callback_url: `${receiver.url}/callback`,
    });
    await receiver.waitFor(1);
    await service.quiet();
    await service.advance(MINUTE - 1);
    assert.equal(requestsTo(receiver, '/callback').length, 0);
    await service.advance(1);
    await receiver.waitFor(3);
    await service.advance(MINUTE);
    const callbacks = requestsTo(receiver, '/callback');
    assert.equal(callbacks.length, 1);
    const [, second] = await attemptsOf(service, job_id);
    const told = JSON.parse(String(callbacks[0]?.body)) as Record<string, unknown>;
    assert.equal(told['status'], 'success');
    assert.equal(told['job_id'], second?.id);
    assert.equal(told['original_job_id'], job_id);
    assert.equal(told['attempt_number'], 2);
  });
}

function declareReasons(openTestStore: OpenTestStore) {
  interface Failure {
    name: string;
    answer: AnswerOrNot;
    status: number | null;
    reason: string | null;
    message: RegExp;
  }
  const failures: Failure[] = [
    {
      name: 'including 4xx',
      answer: { status: 404 },
      status: 404,
      reason: 'http_client_error',
      message: /^HTTP 404 error$/,
    },
    {
      name: '5xx',
      answer: { status: 503 },
      status: 503,
      reason: 'http_server_error',
      message: /^HTTP 503 error$/,
    },
    {
      name: '3xx, which is not followed',
      answer: { status: 302, headers: { location: '/elsewhere' } },
      status: 302,
      reason: null,
      message: /^HTTP 302 error$/,
    },
    {
      name: 'and failed assertions',
      answer: { body: 'not what was hoped for' },
      status: 200,
      reason: 'assertion_failed',
      message: /^Assertion failed:/,
    },
    {
      name: 'a broken connection as well',
      answer: 'reset',
      status: null,
      reason: 'connection_error',
      message: /^Connection error: /,
    },
  ];
  for (const { name, answer, status, reason, message } of failures) {
    test(name, async () => {
      await using receiver = await startReceiver({ answer });
      await using service = await startService(openTestStore);
      await setQueue(service, { assertions: [{ kind: 'body_contains', text: 'fine' }] });
      const { job_id } = await scheduleJob(service, { url: receiver.url });
      await receiver.waitFor(1);
      await service.quiet();
      const [failed, retry, ...others] = await attemptsOf(service, job_id);
      assert.equal(failed?.status, 'retried');
      assert.equal(failed?.responseStatus, status);
      assert.equal(failed?.reason, reason);
      assert.match(failed?.errorMessage ?? '', message);
      assert.deepEqual([retry?.status, retry?.attemptNumber], ['pending', 2]);
      assert.equal(others.length, 0);
      await service.advance(MINUTE);
      await receiver.waitFor(2);
      assert.equal(requestsTo(receiver, '/elsewhere').length, 0);
    });
  }

  test('an attempt that times out is retried', async () => {
    await using receiver = await startReceiver({ answer: 'never' });
    await using service = await startService(openTestStore);
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    await service.clock.advance(30 * SECOND);
    await service.quiet();
    const [failed, retry] = await attemptsOf(service, job_id);
    assert.equal(failed?.status, 'retried');
    assert.equal(failed?.reason, 'timeout');
    assert.equal(failed?.errorMessage, 'Request timed out after 30 seconds');
    assert.equal(failed?.responseStatus, null);
    assert.equal(retry?.scheduledAt, service.clock.now() + MINUTE);
  });

  test('an attempt to a closed port is retried', async () => {
    await using receiver = await startReceiver();
    await receiver.close();
    await using service = await startService(openTestStore);
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await service.quiet();
    const [failed, retry] = await attemptsOf(service, job_id);
    assert.equal(failed?.reason, 'connection_error');
    assert.equal(retry?.status, 'pending');
  });

  test('an attempt to a blocked address is retried, and nothing is sent', async () => {
    await using receiver = await startReceiver();
    await using service = await startService(openTestStore, { env: { ALLOWED_NETWORKS: '' } });
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await service.quiet();
    const [failed, retry] = await attemptsOf(service, job_id);
    assert.equal(failed?.reason, 'blocked_address');
    assert.equal(failed?.errorMessage, 'The URL resolves to a blocked IP address.');
    assert.equal(retry?.status, 'pending');
    assert.equal(receiver.requests.length, 0);
  });
}

function declareDeadLetters(openTestStore: OpenTestStore) {
  test('a dead-lettered job sends one callback about its last attempt', async () => {
    await using receiver = await startReceiver({ answer: { status: 500 } });
    await using service = await startService(openTestStore);
    await setQueue(service, { retrySchedule: [10] });
    const { job_id } = await scheduleJob(service, {
      url: `${receiver.url}/target`,
      callback_url: `${receiver.url}/callback`,
    });
    await receiver.waitFor(1);
    await service.quiet();
    await service.advance(10 * SECOND);
    await receiver.waitFor(3);
    await service.advance(5 * MINUTE);
    assert.equal(requestsTo(receiver, '/target').length, 2, 'no attempt after the last');
    const callbacks = requestsTo(receiver, '/callback');
    assert.equal(callbacks.length, 1);
    const [, last] = await attemptsOf(service, job_id);
    assert.equal(last?.status, 'dead_lettered');
    assert.deepEqual(JSON.parse(String(callbacks[0]?.body)), {
      type: 'job_execution',
      job_id: last?.id,
      original_job_id: job_id,
      status: 'dead_lettered',
      response_status: 500,
      duration_ms: last?.durationMs,
      error_message: 'HTTP 500 error',
      attempt_number: 2,
      completed_at: '2026-11-21T12:00:10+00:00',
    });
  });

  test('a queue without automatic retries does not retry a failed job', async () => {
    await using receiver = await startReceiver({ answer: { status: 500 } });
    await using service = await startService(openTestStore);
    await setQueue(service, { retriesEnabled: false });
    const { job_id } = await scheduleJob(service, {
      url: `${receiver.url}/target`,
      callback_url: `${receiver.url}/callback`,
    });
    await receiver.waitFor(2);
    await service.advance(2 * MINUTE);
    assert.equal(requestsTo(receiver, '/target').length, 1);
    assert.equal(requestsTo(receiver, '/callback').length, 1);
    const attempts = await attemptsOf(service, job_id);
    assert.deepEqual(
      attempts.map(({ status }) => status),
      ['dead_lettered'],
    );
  });

  test('an empty retry schedule means one attempt', async () => {
    await using receiver = await startReceiver({ answer: { status: 500 } });
    await using service = await startService(openTestStore);
    await setQueue(service, { retrySchedule: [] });
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    await service.quiet();
    const [job, ...others] = await attemptsOf(service, job_id);
    assert.equal(job?.status, 'dead_lettered');
    assert.equal(others.length, 0);
  });
}

async function answeredRequest(receiver: Receiver, count: number) {
  return (await receiver.waitFor(count))[count - 1];
}

function declareRetry(openTestStore: OpenTestStore) {
  test('Retry makes a new job with attempt 1 and the same request that runs now', async () => {
    await using receiver = await startReceiver();
    receiver.answer('/target', [{ status: 500 }, { status: 200 }]);
    await using service = await startService(openTestStore);
    await setQueue(service, { retriesEnabled: false });
    const { job_id } = await scheduleJob(service, {
      url: `${receiver.url}/target`,
      method: 'PATCH',
      headers: { 'X-Bell': 'ding' },
      payload: [1, 2],
      callback_url: `${receiver.url}/callback`,
    });
    const first = await answeredRequest(receiver, 1);
    await receiver.waitFor(2);
    await service.quiet();
    const before = await service.work.findJob(service.teamId, job_id);
    const outcome = await service.work.retryJob(service.teamId, job_id);
    assert.equal(outcome.kind, 'done');
    const newId = outcome.kind === 'done' ? outcome.jobId : '';
    assert.notEqual(newId, job_id);
    const second = await answeredRequest(receiver, 3);
    for (const part of ['method', 'url', 'rawHeaders', 'body'] as const) {
      assert.deepEqual(second?.[part], first?.[part]);
    }
    const callback = await answeredRequest(receiver, 4);
    const told = JSON.parse(String(callback?.body)) as Record<string, unknown>;
    assert.deepEqual(
      [told['job_id'], told['original_job_id'], told['attempt_number'], told['status']],
      [newId, newId, 1, 'success'],
    );
    await service.quiet();
    const after = await service.work.findJob(service.teamId, job_id);
    assert.deepEqual(
      after,
      { ...before, retriedAs: newId },
      '"The failed job is left unchanged" but for the mark',
    );
    const [job, ...others] = await attemptsOf(service, newId);
    assert.deepEqual([job?.status, job?.attemptNumber], ['success', 1]);
    assert.equal(others.length, 0);
    assert.equal((await attemptsOf(service, job_id)).length, 1);
  });

  test('a job made by Retry has all retries of its queue', async () => {
    await using receiver = await startReceiver({ answer: { status: 500 } });
    await using service = await startService(openTestStore);
    await setQueue(service, { retriesEnabled: false });
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    await service.quiet();
    await setQueue(service, { retriesEnabled: true, retrySchedule: [5] });
    const outcome = await service.work.retryJob(service.teamId, job_id);
    await receiver.waitFor(2);
    await service.quiet();
    await service.advance(5 * SECOND);
    await receiver.waitFor(3);
    await service.quiet();
    const attempts = await attemptsOf(service, outcome.kind === 'done' ? outcome.jobId : '');
    assert.deepEqual(
      attempts.map(({ status }) => status),
      ['retried', 'dead_lettered'],
    );
  });

  test('Retry is refused unless the job has failed for good', async () => {
    await using receiver = await startReceiver({ answer: { status: 500 } });
    receiver.answer('/good', {});
    await using service = await startService(openTestStore);
    const retried = await scheduleJob(service, { url: receiver.url });
    const good = await scheduleJob(service, { url: `${receiver.url}/good` });
    const waiting = await scheduleJob(service, { url: `${receiver.url}/good`, delay: 600 });
    await receiver.waitFor(2);
    await service.quiet();
    for (const { job_id } of [retried, good, waiting]) {
      const outcome = await service.work.retryJob(service.teamId, job_id);
      assert.deepEqual(outcome, { kind: 'not-failed' });
    }
    const jobs = await service.work.listJobs(service.teamId, { limit: 100 });
    assert.equal(jobs.length, 4, 'three jobs and one retry; nothing was added');
  });
}

function declareMonthlyLimit(openTestStore: OpenTestStore) {
  test('over the monthly limit a job fails without retry, dead letter or callback, and the API answers 201', async () => {
    await using receiver = await startReceiver();
    await using service = await startService(openTestStore, { plan: 'tiny' });
    for (let n = 0; n < 3; n++) await scheduleJob(service, { url: `${receiver.url}/${n}` });
    await receiver.waitFor(3);
    await service.quiet();
    const { job_id } = await scheduleJob(service, {
      url: `${receiver.url}/over`,
      callback_url: `${receiver.url}/callback`,
    });
    await service.advance(2 * MINUTE);
    const [job, ...others] = await attemptsOf(service, job_id);
    assert.equal(job?.status, 'failed');
    assert.equal(job?.reason, 'limit_exceeded');
    assert.equal(job?.errorMessage, 'Monthly limit reached');
    assert.equal(job?.responseStatus, null);
    assert.equal(others.length, 0);
    assert.equal(receiver.requests.length, 3);
  });

  test('a retry that is due over the monthly limit fails in the same way', async () => {
    await using receiver = await startReceiver({ answer: { status: 500 } });
    await using service = await startService(openTestStore, { plan: 'tiny' });
    await setQueue(service, { retrySchedule: [1, 1, 1, 1] });
    const { job_id } = await scheduleJob(service, {
      url: receiver.url,
      callback_url: `${receiver.url}/callback`,
    });
    for (let n = 1; n <= 3; n++) {
      await receiver.waitFor(n);
      await service.quiet();
      await service.advance(SECOND);
    }
    await service.advance(10 * SECOND);
    const attempts = await attemptsOf(service, job_id);
    assert.deepEqual(
      attempts.map(({ status }) => status),
      ['retried', 'retried', 'retried', 'failed'],
    );
    assert.equal(receiver.requests.length, 3);
  });

  test('sending resumes in the next month, and jobs that failed over the limit can be retried', async () => {
    await using receiver = await startReceiver();
    await using service = await startService(openTestStore, { plan: 'tiny' });
    const jobs = [];
    for (let n = 0; n < 4; n++) jobs.push(await scheduleJob(service, { url: receiver.url }));
    await receiver.waitFor(3);
    await service.quiet();
    service.clock.jumpTo('2026-11-30T23:59:59.999Z');
    const november = await scheduleJob(service, { url: receiver.url });
    await service.quiet();
    assert.equal((await attemptsOf(service, november.job_id))[0]?.status, 'failed');
    await service.advance(1);
    const outcome = await service.work.retryJob(service.teamId, november.job_id);
    assert.equal(outcome.kind, 'done');
    await receiver.waitFor(4);
    await service.quiet();
    assert.equal(receiver.requests.length, 4, 'what failed in November stays failed by itself');
  });
}

function declareWorkerFailure(openTestStore: OpenTestStore) {
  test('a job whose worker failed is dead-lettered with a message, without retry or callback (§3.6)', async () => {
    await using receiver = await startReceiver();
    await using service = await startService(openTestStore, { sends: false });
    const { store, teamId } = service;
    const deadNode = await aNode(store);
    const job = await aClaimedJob(store, teamId, deadNode, {
      url: receiver.url,
      callbackUrl: `${receiver.url}/callback`,
    });
    await service.engine?.start();
    await declareDead(store, deadNode);
    await service.advance(2 * MINUTE);
    const [attempt, ...others] = await attemptsOf(service, job.id);
    assert.equal(attempt?.status, 'dead_lettered');
    assert.equal(attempt?.reason, 'worker_failed');
    assert.equal(attempt?.errorMessage, 'The worker stopped while the request was running.');
    assert.equal(attempt?.responseStatus, null);
    assert.equal(others.length, 0);
    assert.equal(receiver.requests.length, 0);
    const outcome = await service.work.retryJob(teamId, job.id);
    assert.equal(outcome.kind, 'done', 'it stands on the Failed tab and can be retried');
    await receiver.waitFor(1);
  });

  test('a stop without grace dead-letters running attempts and resends none', async () => {
    await using receiver = await startReceiver({ answer: 'never' });
    await using service = await startService(openTestStore);
    const { job_id } = await scheduleJob(service, {
      url: receiver.url,
      callback_url: `${receiver.url}/callback`,
    });
    const waiting = await scheduleJob(service, { url: receiver.url, delay: 5 });
    await receiver.waitFor(1);
    const stopped = service.engine?.stop(SECOND);
    await service.clock.advance(SECOND);
    await stopped;
    const [attempt] = await attemptsOf(service, job_id);
    assert.deepEqual([attempt?.status, attempt?.reason], ['dead_lettered', 'worker_failed']);
    await service.clock.advance(MINUTE);
    assert.equal(receiver.requests.length, 1, '"picks up nothing new"');
    assert.equal((await attemptsOf(service, waiting.job_id))[0]?.status, 'pending');
  });

  test('a stop waits for running attempts and stores their outcomes', async () => {
    const gate = makeGate();
    await using receiver = await startReceiver({ answer: { status: 500, after: gate.opened } });
    await using service = await startService(openTestStore);
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    const stopped = service.engine?.stop(30 * SECOND);
    gate.open();
    await stopped;
    const attempts = await attemptsOf(service, job_id);
    assert.deepEqual(
      attempts.map(({ status }) => status),
      ['retried', 'pending'],
    );
  });
}
