/** §2.4: success assertions, and §2.5: what is kept of a response's body; §2.7. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import zlib from 'node:zlib';
import type { Assertion } from '#domain/assertion';
import { startRawReceiver } from '#testing/raw-receiver';
import { type Answer, type Receiver, startReceiver } from '#testing/receiver';
import {
  executionEnd,
  jobEnd,
  makeOnceQueue,
  ONCE,
  postJob,
  runCronNow,
  runJob,
} from '#testing/runs';
import { attemptsOf, scheduleCron, setQueue } from '#testing/scheduling';
import { startService, type TestService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

const MIB = 1024 * 1024;

let service: TestService;
let target: Receiver;

before(async () => {
  target = await startReceiver();
  service = await startService(openSqliteTestStore);
  await makeOnceQueue(service);
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await target.close();
});

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
  const body = JSON.stringify({
    data: { ok: true, items: [{ id: 7 }, { id: 8, tags: ['a', { b: null }] }] },
    text: 'fine',
    digits: '7',
    zero: 0,
    nothing: null,
    '': 'empty',
    'odd key.': { "it's": 1 },
  });

  const holds: [path: string, expected: string][] = [
    ['data.ok', 'true'],
    ['$.data.items[0].id', '7'],
    ['data.items[1].id', '8.0'],
    ['data.items[1].id', '0.8e1'],
    ['data.items[1].tags', '["a", {"b": null}]'],
    ['data.items[0]', '{"id":7}'],
    ['nothing', 'null'],
    ['zero', '-0'],
    ['["odd key."]["it\'s"]', '1'],
    ["['odd key.']['it\\'s']", '1'],
    ['$[""]', '"empty"'],
  ];
  for (const [at, expected] of holds) {
    test(`the value at ${at} equals ${expected}`, () => expectPass({ body }, path(at, expected)));
  }

  test('an expected string may be written with or without its quotes (§2.4)', async () => {
    await expectPass({ body }, path('text', 'fine'));
    await expectPass({ body }, path('text', '"fine"'));
  });

  test('a string matches the expected text with or without quotes; a number matches only the number (§2.4)', async () => {
    const odd = JSON.stringify({ five: '5', number: 5, yes: 'true', none: 'null' });
    await expectPass({ body: odd }, path('five', '5'));
    await expectPass({ body: odd }, path('five', '"5"'));
    await expectPass({ body: odd }, path('number', '5'));
    await expectFailure(
      'JSON path number equals: expected "5", got 5',
      { body: odd },
      path('number', '"5"'),
    );
    await expectPass({ body: odd }, path('yes', 'true'));
    await expectPass({ body: odd }, path('none', 'null'));
    await expectFailure(
      'JSON path five equals: expected 5.0, got "5"',
      { body: odd },
      path('five', '5.0'),
    );
  });

  test('a string matches the expected text as typed or its JSON form without quotes (§2.4)', async () => {
    const odd = JSON.stringify({ quoted: '"5"', lines: 'line\nx', slashed: String.raw`line\nx` });
    await expectPass({ body: odd }, path('quoted', '"5"'));
    await expectPass({ body: odd }, path('quoted', String.raw`\"5\"`));
    await expectPass({ body: odd }, path('lines', String.raw`line\nx`));
    await expectPass({ body: odd }, path('lines', 'line\nx'));
    await expectPass({ body: odd }, path('slashed', String.raw`line\nx`));
    await expectFailure(
      'JSON path lines equals: expected "line x", got "line\\nx"',
      { body: odd },
      path('lines', 'line x'),
    );
  });

  test('different strings never match', async () => {
    await expectPass({ body }, path('digits', '7'));
    await expectFailure(
      'JSON path text equals: expected "Fine", got "fine"',
      { body },
      path('text', 'Fine'),
    );
    await expectFailure(
      'JSON path zero equals: expected false, got 0',
      { body },
      path('zero', 'false'),
    );
  });

  for (const at of [
    'missing',
    'data.items[2]',
    'data.items.length',
    'text[0]',
    'data.ok.x',
    'constructor',
    '__proto__',
    'data[0]',
  ]) {
    test(`a path that is missing from the response fails: ${at}`, () =>
      expectFailure(
        `JSON path ${at} equals: expected null, got nothing at this path`,
        { body },
        path(at, 'null'),
      ));
  }

  test('numbers that differ beyond double precision do not match', async () => {
    await expectPass({ body: '{"id":9007199254740993}' }, path('id', '9007199254740993'));
    await expectFailure(
      'JSON path id equals: expected 9007199254740992, got 9007199254740993',
      { body: '{"id":9007199254740993}' },
      path('id', '9007199254740992'),
    );
  });

  for (const text of ['', 'not json', '{"a":', '<html>', '{"a":1}x', "{'a':1}"]) {
    test(`a body that is not JSON fails the assertion: ${JSON.stringify(text)}`, () =>
      expectFailure(
        'JSON path a equals: expected 1, got a body that is not JSON',
        { body: text },
        path('a', '1'),
      ));
  }

  test('a body may be any JSON value and have any Content-Type', async () => {
    await expectPass({ body: '[1]', headers: { 'Content-Type': 'text/plain' } }, path('[0]', '1'));
    await expectPass({ body: ' "x" ' }, path('$', 'x'));
  });

  test('a byte order mark before the body is ignored (RFC 8259 8.1)', () =>
    expectPass({ body: '\ufeff{"a":1}' }, path('a', '1')));

  test('endless nesting in a body fails only its own run', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const job = await assertOn({ body: deep }, path('[0]', '1'));
    assert.equal(job.reason, 'assertion_failed');
  });
});

describe('Body contains', () => {
  test('the search for a text is exact and case-sensitive', async () => {
    await expectPass({ body: 'all is Fine.' }, contains('is Fine'));
    await expectFailure(
      'Body contains: expected "is fine", got a body of 12 bytes without it',
      { body: 'all is Fine.' },
      contains('is fine'),
    );
    await expectFailure(
      'Body contains: expected "is  Fine", got a body of 12 bytes without it',
      { body: 'all is Fine.' },
      contains('is  Fine'),
    );
    await expectFailure(
      'Body contains: expected ".*", got a body of 0 bytes without it',
      { status: 204 },
      contains('.*'),
    );
    await expectPass({ body: 'größer als 日本' }, contains('ßer als 日'));
  });

  test('a text is found far behind the stored part of the body, however it is split', async () => {
    const body = Buffer.concat([Buffer.alloc(300_000, 'é'), Buffer.from('needle')]);
    await expectPass({ body }, contains('éneedle'));
  });

  test('a text is found however the body is split into packets', async () => {
    await setQueue(service, { assertions: [contains('né-edle')] }, ONCE);
    await using dripping = await startRawReceiver(async (connection) => {
      await connection.until();
      await connection.send('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
      await connection.drip('xx nnné-edle xx', { everyMs: 1 });
      connection.end();
    });
    assert.equal((await runJob(service, { url: dripping.url })).status, 'success');
  });
});

describe('Response time under (ms)', () => {
  /** A run that takes so long on the service's clock. */
  async function runTaking(ms: number, limit: number) {
    await setQueue(service, { assertions: [under(limit)] }, ONCE);
    const held = Promise.withResolvers<void>();
    target.answer('/timed', { after: held.promise });
    const id = await postJob(service, { url: `${target.url}/timed` });
    await target.next(({ url }) => url === '/timed');
    await service.clock.advance(ms);
    held.resolve();
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

  test('assertions are not evaluated on broken or late responses', async () => {
    await setQueue(service, { assertions: [contains('never')] }, ONCE);
    target.answer('/', 'reset');
    const job = await runJob(service, { url: `${target.url}/` });
    assert.equal(job.reason, 'connection_error');
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

  test('a failed assertion fails the attempt, which is retried like any other (§3.2)', async () => {
    await setQueue(service, { assertions: [contains('ok')] }, 'emails');
    target.answer('/', [{ body: 'no' }, { body: 'ok' }]);
    const id = await postJob(service, { queue: 'emails', url: `${target.url}/` });
    await jobEnd(service, id);
    await service.advance(60_000);
    const attempts = await attemptsOf(service, id);
    await jobEnd(service, attempts[1]?.id ?? '');
    const ends = (await attemptsOf(service, id)).map(({ status, reason }) => [status, reason]);
    assert.deepEqual(ends, [
      ['retried', 'assertion_failed'],
      ['success', null],
    ]);
  });

  test('a cron has its own assertions, and its error message names the one that failed', async () => {
    target.answer('/', { body: '{"ok":false}' });
    const { id } = await scheduleCron(service, { url: `${target.url}/`, is_active: false });
    await service.work.setCronAssertions(service.teamId, id, [path('ok', 'true')]);
    const run = await runCronNow(service, id);
    assert.deepEqual(
      [run.status, run.reason, run.errorMessage],
      [
        'failed',
        'assertion_failed',
        'Assertion failed: JSON path ok equals: expected true, got false',
      ],
    );
    await service.work.setCronAssertions(service.teamId, id, []);
    assert.equal(
      (await executionEnd(service, (await runCronNow(service, id)).id)).status,
      'success',
    );
  });

  test('the API ignores success assertions (§2.1, §2.2)', async () => {
    await setQueue(service, { assertions: [] }, ONCE);
    target.answer('/', { body: 'x' });
    const success_assertions = [contains('never')];
    const job = await runJob(service, { url: `${target.url}/`, success_assertions });
    assert.equal(job.status, 'success');
    const fields = { url: `${target.url}/`, success_assertions, assertions: success_assertions };
    const { id } = await scheduleCron(service, { ...fields, is_active: false });
    assert.equal((await runCronNow(service, id)).status, 'success');
  });
});

describe('large and encoded bodies (§2.7)', () => {
  test('both kinds of body assertions search 40 MiB to the end', async () => {
    const body = `{"b":"${'x'.repeat(40 * MIB)}","a":1}`;
    await expectPass({ body }, path('a', '1'), contains('xx","a":1}'));
    await expectFailure('JSON path a equals: expected 2, got 1', { body }, path('a', '2'));
    await expectFailure(
      'JSON path a equals: expected 1, got a body that is not JSON',
      { body: `${body}}` },
      path('a', '1'),
    );
  });

  const encoders: [coding: string, encode: (body: Buffer) => Buffer][] = [
    ['gzip', zlib.gzipSync],
    ['x-gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['br', zlib.brotliCompressSync],
  ];
  for (const [coding, encode] of encoders) {
    test(`Content-Encoding ${coding} is decoded before assertions are evaluated`, async () => {
      const text = '{"a":"needle"}';
      const answer = {
        body: encode(Buffer.from(text)),
        headers: { 'Content-Encoding': coding },
      };
      await expectPass(answer, path('a', 'needle'), contains('"a":"need'));
      const job = await assertOn(answer);
      assert.equal(String(Buffer.from(job.response?.body ?? [])), text);
      const large = {
        body: encode(Buffer.from(`{"b":"${'x'.repeat(17 * MIB)}","a":1}`)),
        headers: { 'Content-Encoding': coding },
      };
      await expectPass(large, path('a', '1'));
    });
  }
});

describe('the stored response body (§2.5)', () => {
  for (const bytes of [0, 1, 65_534, 65_535, 65_536, 1_000_000]) {
    test(`a body of ${bytes} bytes is stored up to 65,535 bytes`, async () => {
      const body = Buffer.alloc(bytes, 'abcdefg');
      const job = await assertOn({ body });
      const kept = Buffer.from(job.response?.body ?? []);
      assert.ok(kept.equals(body.subarray(0, 65_535)));
      assert.equal(job.response?.totalBytes, bytes);
    });
  }

  test('a body that is not text is stored as it is, also of failures', async () => {
    const body = Buffer.from([0, 255, 254, 128, 10, 13, 0]);
    const job = await assertOn({ status: 500, body });
    assert.deepEqual(Buffer.from(job.response?.body ?? []), body);
  });

  test("the body of a cron's run is stored in the same way", async () => {
    target.answer('/', { body: 'kept' });
    const { id } = await scheduleCron(service, { url: `${target.url}/`, is_active: false });
    const run = await runCronNow(service, id);
    assert.equal(String(Buffer.from(run.response?.body ?? [])), 'kept');
  });
});
