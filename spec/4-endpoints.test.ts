/** §4: the two endpoints, their headers, and what does not exist; §4.3, §4.5, §8.2. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callHttp, countStored, expectRefused, leavingNothing } from '#testing/api-calls';
import { aCron, aJob } from '#testing/api-server';
import { startReceiver } from '#testing/receiver';
import { startService, type TestService } from '#testing/service';
import { forEachStore, openSqliteTestStore } from '#testing/stores';

const NO_JOB_FIELDS = {
  queue: ['A queue name is required.'],
  url: ['A target URL is required.'],
};
const NO_CRON_FIELDS = {
  name: ['A name for the cron job is required.'],
  url: ['A target URL is required.'],
  cron_expression: ['A cron expression is required.'],
};
const MIB = 1024 * 1024;
const FORM = 'application/x-www-form-urlencoded';
const formOf = (fields: Record<string, string>) => String(new URLSearchParams(fields));

describe('the endpoints', () => {
  let service: TestService;
  before(async () => {
    service = await startService(openSqliteTestStore, { sends: false });
  });
  after(() => service[Symbol.asyncDispose]());

  const authorization = () => ({ Authorization: `Bearer ${service.token}` });
  /** Sends a body with exactly these headers and the token. */
  const send = (
    headers: Record<string, string>,
    body: string | Buffer,
    path: '/api/crons' | '/api/jobs' = '/api/jobs',
  ) => callHttp(`${service.url}${path}`, { headers: { ...authorization(), ...headers }, body });

  describe('4.1 POST {base_url}/api/crons', () => {
    test('POST /api/crons creates one cron in the current team and nothing else', async () => {
      const before = await countStored(service.store);
      const { status, json } = await service.post('/api/crons', aCron);
      assert.equal(status, 201);
      assert.ok(await service.work.findCron(service.teamId, String(json['id'])));
      assert.deepEqual(await countStored(service.store), { ...before, crons: before.crons + 1 });
    });
  });

  describe('4.2 POST {base_url}/api/jobs', () => {
    test('POST /api/jobs schedules one request and creates its queue if needed', async () => {
      const before = await countStored(service.store);
      const { status, json } = await service.post('/api/jobs', { ...aJob, queue: 'needed' });
      assert.equal(status, 201);
      assert.ok(await service.work.findJob(service.teamId, String(json['job_id'])));
      assert.deepEqual(await countStored(service.store), {
        ...before,
        queues: before.queues + 1,
        jobs: before.jobs + 1,
      });
    });
  });

  describe('Content-Type (§4.5)', () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/vnd.api+json',
      'application/problem+json;charset=UTF-8',
    ]) {
      test(`${type} is parsed as JSON`, async () => {
        assert.equal((await send({ 'Content-Type': type }, JSON.stringify(aJob))).status, 201);
      });
    }

    test('form data is read with or without its Content-Type', async () => {
      for (const headers of [
        { 'Content-Type': FORM },
        { 'Content-Type': `${FORM};charset=x` },
        {},
      ]) {
        assert.equal((await send({ ...headers }, formOf(aJob))).status, 201);
        assert.equal((await send({ ...headers }, formOf(aCron), '/api/crons')).status, 201);
      }
    });

    test('JSON without its Content-Type may be read as form data', async () => {
      const call = () => send({ Accept: 'application/json' }, JSON.stringify(aJob));
      const { status, text } = await leavingNothing(service, call);
      assert.equal(status, 422);
      assert.equal(
        text,
        '{"message":"A queue name is required. (and 1 more error)","errors":' +
          '{"queue":["A queue name is required."],"url":["A target URL is required."]}}',
      );
    });

    for (const type of [
      'text/plain',
      'text/json',
      'application/jsonp',
      'multipart/form-data',
      'x',
    ]) {
      test(`a body of type ${type} has no fields`, async () => {
        for (const body of [JSON.stringify(aJob), formOf(aJob)]) {
          const headers = { Accept: 'application/json', 'Content-Type': type };
          const { status, text } = await leavingNothing(service, () => send(headers, body));
          assert.equal(status, 422);
          assert.deepEqual((JSON.parse(text) as { errors: unknown }).errors, NO_JOB_FIELDS);
        }
      });
    }

    test('form data sent as JSON has no fields', () =>
      expectRefused(service, '/api/jobs', formOf(aJob), NO_JOB_FIELDS));
  });

  describe('a JSON body (§4.5)', () => {
    const job = JSON.stringify(aJob);
    for (const [what, body] of Object.entries({
      'an empty body': '',
      'white space': ' \n',
      'an unfinished object': job.slice(0, -1),
      'a comma too many': `${job.slice(0, -1)},}`,
      'a comment': `${job}//`,
      'two objects': job + job,
      'single quotes': job.replaceAll('"', "'"),
      'bare names': '{queue:"q",url:"http://a.b"}',
      NaN: '{"queue":"q","url":"http://a.b","delay":NaN}',
      'a leading zero': '{"queue":"q","url":"http://a.b","delay":01}',
      'a raw line feed in a string': '{"queue":"a\nb","url":"http://a.b"}',
      'a bad escape': '{"queue":"\\x","url":"http://a.b"}',
      'a byte order mark': `\ufeff${job}`,
      null: 'null',
      true: 'true',
      'a number': '5',
      'a string': JSON.stringify(job),
      'a list': '[]',
      'the object in a list': `[${job}]`,
      'brackets without end': '['.repeat(1_000_000),
    })) {
      test(`${what} is read as a body without fields`, async () => {
        await expectRefused(service, '/api/jobs', body, NO_JOB_FIELDS);
        await expectRefused(service, '/api/crons', body, NO_CRON_FIELDS);
      });
    }

    test('a body that is not UTF-8 has no fields', async () => {
      const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
      const body = Buffer.from(JSON.stringify({ ...aJob, queue: 'é' }), 'latin1');
      const { status } = await leavingNothing(service, () => send(headers, body));
      assert.equal(status, 422);
    });

    test('white space around JSON, escapes and unknown fields change nothing', async () => {
      const body = ` \t\r\n{"\\u0071ueue":"\\u0065","url":"http:\\/\\/a.b\\/","x":{"y":[1e999]}} `;
      const { json, text, status } = await service.post('/api/jobs', body);
      assert.equal(status, 201, text);
      const stored = await service.work.findJob(service.teamId, String(json['job_id']));
      assert.deepEqual([stored?.queue, stored?.url], ['e', 'http://a.b/']);
    });

    test('the last of two equal fields counts', async () => {
      const body = `{"queue":"first","url":"http://a.b/","queue":"last"}`;
      const { json } = await service.post('/api/jobs', body);
      const stored = await service.work.findJob(service.teamId, String(json['job_id']));
      assert.equal(stored?.queue, 'last');
    });

    test('query parameters of the address are ignored', async () => {
      const call = () => service.post('/api/jobs?queue=q', { url: aJob.url });
      assert.equal((await leavingNothing(service, call)).status, 422);
    });
  });

  describe('a body over 1 MiB (§4.5)', () => {
    const job = JSON.stringify({ ...aJob, queue: 'huge' });

    test('a body of exactly 1 MiB is accepted', async () => {
      const { status } = await service.post('/api/jobs', job.padEnd(MIB, ' '));
      assert.equal(status, 201);
      await service.work.deleteQueue(service.teamId, (await findQueueId('huge')) ?? '');
    });

    test('a body of 1 MiB and one byte gets 413 as JSON, and nothing is stored', async () => {
      const framings: Record<string, string>[] = [{}, { 'Transfer-Encoding': 'chunked' }];
      for (const framing of framings) {
        const call = () => send({ ...framing, Accept: 'text/html' }, job.padEnd(MIB + 1, ' '));
        const { status, headers, text } = await leavingNothing(service, call);
        assert.equal(status, 413);
        assert.equal(headers['content-type'], 'application/json');
        assert.equal(text, '{"message":"Payload Too Large"}');
      }
      assert.equal(await findQueueId('huge'), null);
    });

    const findQueueId = async (name: string) =>
      (await service.work.findQueueByName(service.teamId, name))?.id ?? null;
  });

  describe('4.3 unknown paths and methods', () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/crons/',
      '/api/jobs/',
      '/api/cron',
      '/api/Jobs',
      '/api/crons/00000000-0000-7000-8000-000000000000',
      '/api/crons/00000000-0000-7000-8000-000000000000/pause',
      '/api/crons/00000000-0000-7000-8000-000000000000/run',
      '/api/jobs/00000000-0000-7000-8000-000000000000',
      '/api/jobs/00000000-0000-7000-8000-000000000000/cancel',
      '/api/jobs/bulk',
      '/api/crons/bulk',
      '/api/queues',
      '/api/assertions',
      '/api/usage',
      '/api/ping',
      '/api/v1/jobs',
      '/api/other',
      '/api/%00',
      '/api/..%2fjobs',
    ]) {
      test(`${path} answers 404 for every method`, async () => {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          const { status, headers, text } = await leavingNothing(service, () =>
            callHttp(`${service.url}${path}`, {
              method,
              headers: { ...authorization(), 'Content-Type': 'application/json' },
              body: JSON.stringify(aJob),
            }),
          );
          assert.equal(status, 404, method);
          assert.equal(headers['content-type'], 'application/json');
          assert.equal(text, '{"message":"Not Found"}');
        }
      });
    }

    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      test(`${method} on the two endpoints gets 405 with Allow: POST (§4.3)`, async () => {
        for (const path of ['/api/crons', '/api/jobs', '/api/jobs?id=1']) {
          const { status, headers, text } = await leavingNothing(service, () =>
            callHttp(`${service.url}${path}`, { method, headers: authorization() }),
          );
          assert.equal(status, 405);
          assert.equal(headers.allow, 'POST');
          assert.equal(headers['content-type'], 'application/json');
          assert.equal(text, method === 'HEAD' ? '' : '{"message":"Method Not Allowed"}');
        }
      });
    }

    test("a POST can't override its method", async () => {
      const headers = { 'X-HTTP-Method-Override': 'DELETE' };
      const answer = await service.post('/api/jobs', { ...aJob, _method: 'DELETE' }, headers);
      assert.equal(answer.status, 201);
    });

    test('responses have no version header (§9)', async () => {
      const { headers } = await service.post('/api/jobs', aJob);
      for (const name of headers.keys()) assert.doesNotMatch(name, /version|powered/i);
    });
  });
});

forEachStore((_, openTestStore) => {
  test('over the monthly limit the API answers 201, and the runs fail (§4.1, §4.2)', async () => {
    await using receiver = await startReceiver();
    await using service = await startService(openTestStore, {
      env: { PLANS: 'none=0' },
      plan: 'none',
    });
    const cron = { ...aCron, url: receiver.url, callback_url: receiver.url };
    const madeCron = await service.post('/api/crons', cron);
    const madeJob = await service.post('/api/jobs', { ...cron, queue: 'over' });
    assert.deepEqual([madeCron.status, madeJob.status], [201, 201]);
    await service.quiet();
    const attempts = await service.work.listAttempts(
      service.teamId,
      String(madeJob.json['job_id']),
    );
    assert.deepEqual(
      attempts.map(({ status, reason }) => [status, reason]),
      [['failed', 'limit_exceeded']],
    );
    await service.advance(5 * 60_000);
    const runs = await service.work.listExecutions(service.teamId, String(madeCron.json['id']), 10);
    assert.deepEqual(
      runs.map(({ status, reason }) => [status, reason]),
      [['failed', 'limit_exceeded']],
    );
    assert.equal(receiver.requests.length, 0, 'neither a request nor a callback goes out');
  });
});
