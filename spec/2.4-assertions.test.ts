/** §2.4: success assertions, and §2.5: what is kept of a response's body; §2.7. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Assertion } from '#domain/judging/assertion';
import type { Answer } from '#testing/receiver';
import { jobEnd, useServiceAndTarget, ONCE, postJob, runCronNow, runJob } from '#testing/runs';
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

// Values and paths have tables in src/domain/judging/assertions.test.ts and src/domain/json.
test('the value at a path is compared with the expected one', async () => {
  const body = `{"data":{"items":[{"id":7},{"id":8}]},"odd key.":{"it's":"fine"}}`;
  await expectPass(
    { body },
    path('data.items[1].id', '0.8e1'),
    path(`['odd key.']['it\\'s']`, '"fine"'),
  );
  await expectFailure(
    'JSON path data.items[2] equals: expected null, got nothing at this path',
    { body },
    path('data.items[2]', 'null'),
  );
});

test('the time of a response is that from its start to its last byte', async () => {
  await setQueue(service, { assertions: [under(500)] }, ONCE);
  const gate = Promise.withResolvers<void>();
  target.answer('/timed', { after: gate.promise });
  const id = await postJob(service, { url: `${target.url}/timed` });
  await target.next(({ url }) => url === '/timed');
  await service.clock.advance(500);
  gate.resolve();
  const text = 'Response time under (ms): expected less than 500, got 500';
  assert.equal((await jobEnd(service, id)).errorMessage, `Assertion failed: ${text}`);
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
  });
});
