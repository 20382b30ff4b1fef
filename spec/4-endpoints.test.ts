/** §4: the two endpoints, their headers, and what does not exist; §4.3, §4.5, §8.2. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectRefused, leavingNothing } from '#testing/api-calls';
import { callHttp } from '#testing/client';
import { aCron, aJob } from '#testing/api-server';
import { useService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

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
  const service = useService(openSqliteTestStore, { sends: false });

  const authorization = () => ({ Authorization: `Bearer ${service.token}` });
  /** Sends a body with exactly these headers and the token. */
  const send = (
    headers: Record<string, string>,
    body: string | Buffer,
    path: '/api/crons' | '/api/jobs' = '/api/jobs',
  ) => callHttp(`${service.url}${path}`, { headers: { ...authorization(), ...headers }, body });

  describe('Content-Type (§4.5)', () => {
    test('application/json and any type that ends in +json are parsed as JSON', async () => {
      for (const type of [
        'application/json',
        'APPLICATION/JSON ; charset=utf-8',
        'application/vnd.api+json',
        'application/problem+json;charset=UTF-8',
      ])
        assert.equal((await send({ 'Content-Type': type }, JSON.stringify(aJob))).status, 201);
    });

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

    test('a body of another type has no fields', async () => {
      for (const type of [
        'text/plain',
        'text/json',
        'application/jsonp',
        'multipart/form-data',
        'x',
      ])
        for (const body of [JSON.stringify(aJob), formOf(aJob)]) {
          const headers = { Accept: 'application/json', 'Content-Type': type };
          const { status, text } = await leavingNothing(service, () => send(headers, body));
          assert.equal(status, 422);
          assert.deepEqual((JSON.parse(text) as { errors: unknown }).errors, NO_JOB_FIELDS);
        }
    });

    test('form data sent as JSON has no fields', () =>
      expectRefused(service, '/api/jobs', formOf(aJob), NO_JOB_FIELDS));
  });

  describe('a JSON body (§4.5)', () => {
    test('a body that is no JSON object is read as a body without fields', async () => {
      // Malformed texts have a table in src/domain/json/text.test.ts.
      const job = JSON.stringify(aJob);
      for (const body of [
        '',
        ' \n',
        job.slice(0, -1),
        `${job.slice(0, -1)},}`,
        job + job,
        `\ufeff${job}`,
        'null',
        '5',
        JSON.stringify(job),
        '[]',
        `[${job}]`,
        '['.repeat(1_000_000),
      ]) {
        await expectRefused(service, '/api/jobs', body, NO_JOB_FIELDS);
        await expectRefused(service, '/api/crons', body, NO_CRON_FIELDS);
      }
    });

    test('a body that is not UTF-8 has no fields', async () => {
      const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
      const body = Buffer.from(JSON.stringify({ ...aJob, queue: 'é' }), 'latin1');
      const { status } = await leavingNothing(service, () => send(headers, body));
      assert.equal(status, 422);
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
        assert.equal(headers.get('content-type'), 'application/json');
        assert.equal(text, '{"message":"Payload Too Large"}');
      }
      assert.equal(await findQueueId('huge'), null);
    });

    const findQueueId = async (name: string) =>
      (await service.work.findQueueByName(service.teamId, name))?.id ?? null;
  });

  test('responses have no version header (§9)', async () => {
    const { status, headers } = await service.post('/api/jobs', aJob);
    assert.equal(status, 201);
    for (const name of headers.keys()) assert.doesNotMatch(name, /version|powered/i);
  });

  describe('4.3 unknown paths and methods', () => {
    test('every other path under /api answers 404 for every method', async () => {
      const id = '00000000-0000-7000-8000-000000000000';
      for (const path of [
        '/api',
        '/api/',
        '/api/crons/',
        '/api/Jobs',
        `/api/crons/${id}`,
        `/api/jobs/${id}/cancel`,
        '/api/queues',
        '/api/usage?x=1',
        '/api/v1/jobs',
        '/api/%00',
        '/api/..%2fjobs',
      ])
        for (const method of ['GET', 'POST', 'DELETE']) {
          const { status, headers, text } = await leavingNothing(service, () =>
            callHttp(`${service.url}${path}`, {
              method,
              headers: { ...authorization(), 'Content-Type': 'application/json' },
              body: JSON.stringify(aJob),
            }),
          );
          assert.equal(status, 404, `${method} ${path}`);
          assert.equal(headers.get('content-type'), 'application/json');
          assert.equal(text, '{"message":"Not Found"}');
        }
    });

    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      test(`${method} on the two endpoints gets 405 with Allow: POST (§4.3)`, async () => {
        for (const path of ['/api/crons', '/api/jobs', '/api/jobs?id=1']) {
          const { status, headers, text } = await leavingNothing(service, () =>
            callHttp(`${service.url}${path}`, { method, headers: authorization() }),
          );
          assert.equal(status, 405);
          assert.equal(headers.get('allow'), 'POST');
          assert.equal(headers.get('content-type'), 'application/json');
          assert.equal(text, method === 'HEAD' ? '' : '{"message":"Method Not Allowed"}');
        }
      });
    }
  });
});
