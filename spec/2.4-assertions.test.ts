/** §2.4: success assertions, and §2.5: what is kept of a response's body; §2.7. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Assertion } from '#domain/judging/assertion';
import type { Answer } from '#testing/receiver';
import {
  executionEnd,
  jobEnd,
  useServiceAndTarget,
  ONCE,
  postJob,
  runCronNow,
  runJob,
} from '#testing/runs';
import { scheduleCron, setQueue } from '#testing/scheduling';
import { openSqliteTestStore } from '#testing/stores';

const { service, target } = useServiceAndTarget(openSqliteTestStore);

/** The record of a job whose queue asserts this and whose target answers so. */
async function assertOn(answer: Answer, ...assertions: Assertion[]) {
  await setQueue(service, { assertions }, ONCE);
  target.answer('/', answer);
  return runJob(service, { url: `${target.url}/` });
}

async function expectPass(answer: Answer, ...assertions: Assertion[]): Promise<void> {
  const { status, reason, errorMessage } = await assertOn(answer, ...assertions);
  assert.deepEqual([status, reason, errorMessage], ['success', null, null]);
}

async function expectFailure(text: string, answer: Answer, ...assertions: Assertion[]) {
  const job = await assertOn(answer, ...assertions);
  assert.deepEqual(
    [job.status, job.reason, job.errorMessage, job.responseStatus],
    ['dead_lettered', 'assertion_failed', `Assertion failed: ${text}`, answer.status ?? 200],
  );
}

const path = (path: string, expected: string): Assertion => ({
  kind: 'json_path_equals',
  path,
  expected,
});
const contains = (text: string): Assertion => ({ kind: 'body_contains', text });
const under = (ms: number): Assertion => ({ kind: 'response_time_under', ms });

describe('JSON path equals', () => {
  // Values and paths have tables in src/domain/judging/assertions.test.ts and src/domain/json.
  const body = `{"data":{"items":[{"id":7},{"id":8}]},"odd key.":{"it's":"fine"}}`;

  test('the value at a path is compared with the expected one', async () => {
    await expectPass(
      { body },
      path('data.items[1].id', '0.8e1'),
      path(`$["odd key."]["it's"]`, 'fine'),
      path(`['odd key.']['it\\'s']`, '"fine"'),
    );
    await expectFailure(
      'JSON path data.items[1].id equals: expected 7, got 8',
      { body },
      path('data.items[1].id', '7'),
    );
    await expectFailure(
      'JSON path data.items[2] equals: expected null, got nothing at this path',
      { body },
      path('data.items[2]', 'null'),
    );
    await expectFailure(
      'JSON path a equals: expected 1, got a body that is not JSON',
      { body: 'not json' },
      path('a', '1'),
    );
  });
});

describe('Response time under (ms)', () => {
  /** A run that takes so long on the service's clock. */
  async function runTaking(ms: number, limit: number) {
    await setQueue(service, { assertions: [under(limit)] }, ONCE);
    const gate = Promise.withResolvers<void>();
    target.answer('/timed', { after: gate.promise });
    const id = await postJob(service, { url: `${target.url}/timed` });
    await target.next(({ url }) => url === '/timed');
    await service.clock.advance(ms);
    gate.resolve();
    return jobEnd(service, id);
  }

  test('the response time must be less than the value', async () => {
    assert.equal((await runTaking(499, 500)).status, 'success');
    for (const ms of [500, 501]) {
      const job = await runTaking(ms, 500);
      const text = `Response time under (ms): expected less than 500, got ${ms}`;
      assert.equal(job.errorMessage, `Assertion failed: ${text}`);
      assert.equal(job.durationMs, ms);
    }
  });
});

describe('when assertions apply', () => {
  test('assertions are evaluated on 2xx responses only; any other status is the reason itself', async () => {
    for (const status of [302, 404, 500, 600]) {
      const job = await assertOn({ status, body: 'x' }, contains('never'), path('a', '1'));
      assert.notEqual(job.reason, 'assertion_failed');
      assert.equal(job.errorMessage, `HTTP ${status} error`);
    }
    await expectFailure(
      'Body contains: expected "never", got a body of 1 bytes without it',
      { status: 299, body: 'x' },
      contains('never'),
    );
  });

  test('all assertions must pass, and the first failure is reported (§2.4)', async () => {
    const answer = { body: '{"a":1}' };
    await expectPass(answer, path('a', '1'), contains('{"a"'), under(1_000));
    await expectFailure(
      'JSON path a equals: expected 2, got 1',
      answer,
      contains('a'),
      path('a', '2'),
      contains('never'),
    );
  });

  test('a cron has its own assertions, and its error message names the one that failed', async () => {
    target.answer('/', { body: '{"ok":false}' });
    const { id } = await scheduleCron(service, { url: `${target.url}/`, is_active: false });
    await service.work.editCron(service.teamId, id, { assertions: [path('ok', 'true')] });
    const run = await runCronNow(service, id);
    assert.deepEqual(
      [run.status, run.reason, run.errorMessage],
      [
        'failed',
        'assertion_failed',
        'Assertion failed: JSON path ok equals: expected true, got false',
      ],
    );
    await service.work.editCron(service.teamId, id, { assertions: [] });
    assert.equal(
      (await executionEnd(service, (await runCronNow(service, id)).id)).status,
      'success',
    );
  });
});

describe('the stored response body (§2.5)', () => {
  test('a body that is not text is stored as it is, also of failures', async () => {
    const body = Buffer.from([0, 255, 254, 128, 10, 13, 0]);
    const job = await assertOn({ status: 500, body });
    assert.deepEqual(Buffer.from(job.response?.body ?? []), body);
  });
});
