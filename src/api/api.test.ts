import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ApiServer, aCron, aJob } from '#testing/api-server';

const json = (text: string): unknown => JSON.parse(text);
const form = 'application/x-www-form-urlencoded';

describe('created items', () => {
  test('a cron is answered with 201 and the fields of §2.1', async () => {
    await using api = await ApiServer.start();
    const answer = await api.post('/api/crons', { ...aCron, name: 'Nächtlich 😀' });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(
      answer.text,
      '{"id":"cron-1","name":"N\\u00e4chtlich \\ud83d\\ude00","cron_expression":"*\\/5 * * * *",' +
        '"next_run_at":"2026-11-20T09:05:00+00:00","is_active":true}',
    );
    assert.deepEqual(
      api.created.map(({ kind, teamId }) => [kind, teamId]),
      [['cron', 'team-1']],
    );
  });

  test('a paused cron has no next run', async () => {
    await using api = await ApiServer.start();
    const answer = await api.post('/api/crons', { ...aCron, is_active: false });
    assert.match(answer.text, /"next_run_at":null,"is_active":false/);
  });

  test('a job is answered with 201 and the fields of §2.2', async () => {
    await using api = await ApiServer.start();
    const answer = await api.post('/api/jobs', { ...aJob, delay: 60 });
    assert.equal(answer.status, 201);
    assert.equal(
      answer.text,
      '{"success":true,"queue_id":"queue-1","job_id":"job-1",' +
        '"scheduled_at":"2026-11-20T09:01:00+00:00","message":"Scheduled successfully"}',
    );
  });

  test('every call creates a new item, even if it is identical', async () => {
    await using api = await ApiServer.start();
    await api.post('/api/crons', aCron);
    await api.post('/api/crons', aCron);
    assert.equal(api.created.length, 2);
  });
});

describe('unknown paths and methods', () => {
  test('anything else under /api is 404 JSON', async () => {
    await using api = await ApiServer.start();
    const paths = ['/api', '/api/', '/api/cron', '/api/crons/', '/api/jobs/1', '/api/Jobs'];
    for (const path of [...paths, '/api/jobs/bulk', '/api/queues', '/api/usage?x=1']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await api.send({ method, path });
        assert.equal(answer.status, 404, path);
        assert.equal(answer.text, '{"message":"Not Found"}');
        assert.equal(answer.headers['content-type'], 'application/json');
      }
    }
  });

  test('another method is 405 with Allow: POST, and does not count', async () => {
    await using api = await ApiServer.start();
    for (const path of ['/api/crons', '/api/jobs', '/api/jobs?x=1']) {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) {
        const answer = await api.send({ method, path });
        assert.equal(answer.status, 405, method);
        assert.equal(answer.headers.allow, 'POST');
        assert.equal(answer.text, method === 'HEAD' ? '' : '{"message":"Method Not Allowed"}');
        assert.equal(answer.headers['content-type'], 'application/json');
      }
    }
    const { headers } = await api.post('/api/jobs', aJob);
    assert.equal(headers['x-ratelimit-remaining'], '59');
  });
});

describe('how a body is read', () => {
  test('as JSON by application/json and by any type that ends in +json', async () => {
    await using api = await ApiServer.start();
    const types = ['application/json', 'APPLICATION/JSON ; charset=utf-8', 'application/x.y+json'];
    for (const type of types) {
      const answer = await api.post('/api/jobs', aJob, { 'Content-Type': type });
      assert.equal(answer.status, 201, type);
    }
  });

  test('malformed JSON, or JSON that is no object, has no fields', async () => {
    await using api = await ApiServer.start();
    const bodies = [
      '',
      '{',
      '[]',
      '"x"',
      'null',
      '5',
      '{"queue":"q",}',
      `${JSON.stringify(aJob)}x`,
    ];
    for (const body of [
      ...bodies,
      "{'queue':'q'}",
      '['.repeat(500_000),
      `[${JSON.stringify(aJob)}]`,
    ]) {
      const answer = await api.post('/api/jobs', body);
      assert.equal(answer.status, 422);
      assert.deepEqual(json(answer.text), {
        message: 'A queue name is required. (and 1 more error)',
        errors: { queue: ['A queue name is required.'], url: ['A target URL is required.'] },
      });
    }
  });

  test('JSON in bytes that are not UTF-8 has no fields', async () => {
    await using api = await ApiServer.start();
    const body = Buffer.from(JSON.stringify({ ...aJob, queue: 'é' }), 'latin1');
    const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
    assert.equal((await api.send({ headers, body })).status, 422);
  });

  test('as form data by its type, or where no type is given', async () => {
    await using api = await ApiServer.start();
    const body = 'queue=q&url=https%3A%2F%2Fexample.com&payload[a]=1&delay=5';
    for (const type of [
      { 'Content-Type': form },
      { 'Content-Type': `${form}; charset=UTF-8` },
      {},
    ]) {
      const answer = await api.send({ headers: { Authorization: 'Bearer good', ...type }, body });
      assert.equal(answer.status, 201);
    }
    const [first] = api.created;
    assert.equal(first?.kind === 'job' && first.input.payloadJson, '{"a":"1"}');
  });

  test('JSON sent without a type is form data, so its fields are missing', async () => {
    await using api = await ApiServer.start();
    const headers = { Accept: 'application/json', Authorization: 'Bearer good' };
    const answer = await api.send({ headers, body: JSON.stringify(aJob) });
    assert.equal(answer.status, 422);
    assert.match(answer.text, /A queue name is required/);
  });

  test('any other type has no fields', async () => {
    await using api = await ApiServer.start();
    for (const type of ['text/plain', 'text/json', 'multipart/form-data; boundary=x', 'jsonx']) {
      const answer = await api.post('/api/jobs', aJob, { 'Content-Type': type });
      assert.equal(answer.status, 422, type);
    }
  });

  test('parameters of the address are no fields', async () => {
    await using api = await ApiServer.start();
    assert.equal((await api.post('/api/jobs?queue=q', { url: aJob.url })).status, 422);
  });
});

describe('the order of checks', () => {
  test('the rate limit is checked before the body', async () => {
    await using api = await ApiServer.start();
    for (let n = 0; n < 60; n++) await api.post('/api/jobs', {});
    assert.equal((await api.post('/api/jobs', '{')).status, 429);
    assert.equal((await api.post('/api/jobs', 'x'.repeat(2_000_000))).status, 429);
  });

  test('body before token: a bad body with a bad token, or none, is 422', async () => {
    await using api = await ApiServer.start();
    for (const Authorization of ['Bearer bad', 'Bearer teamless', '']) {
      const answer = await api.post('/api/crons', {}, { Authorization });
      assert.equal(answer.status, 422);
      assert.deepEqual(json(answer.text), {
        message: 'A name for the cron job is required. (and 2 more errors)',
        errors: {
          name: ['A name for the cron job is required.'],
          url: ['A target URL is required.'],
          cron_expression: ['A cron expression is required.'],
        },
      });
    }
    assert.deepEqual(api.askedTokens, []);
  });

  test('a missing token is 401 in JSON, without Accept too', async () => {
    await using api = await ApiServer.start();
    for (const Authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer   ',
      'Basic good',
      'good',
      'Bearergood',
    ]) {
      const sent = Authorization === undefined ? {} : { Authorization };
      const headers = { 'Content-Type': 'application/json', ...sent };
      const answer = await api.send({ headers, body: JSON.stringify(aJob) });
      assert.equal(answer.status, 401);
      assert.equal(answer.text, '{"error":"Missing authorization token"}');
      assert.equal(answer.headers['content-type'], 'application/json');
    }
    assert.deepEqual(api.created, []);
  });

  test('a token that matches no user is 401', async () => {
    await using api = await ApiServer.start();
    const answer = await api.post('/api/jobs', aJob, { Authorization: 'Bearer bad' });
    assert.equal(answer.status, 401);
    assert.equal(answer.text, '{"error":"Invalid webhook token"}');
    assert.deepEqual(api.created, []);
  });

  test('the scheme may be in any case', async () => {
    await using api = await ApiServer.start();
    for (const Authorization of ['bearer good', 'BEARER   good']) {
      assert.equal((await api.post('/api/jobs', aJob, { Authorization })).status, 201);
    }
  });

  test('a user without a team is 500, after the token', async () => {
    await using api = await ApiServer.start();
    const answer = await api.post('/api/jobs', aJob, { Authorization: 'Bearer teamless' });
    assert.equal(answer.status, 500);
    assert.equal(answer.text, '{"message":"Server Error"}');
    assert.deepEqual(api.created, []);
  });

  test('the token acts on the team selected at the time of the call', async () => {
    await using api = await ApiServer.start();
    await api.post('/api/jobs', aJob);
    api.owners.set('good', { userId: 'user-1', teamId: 'team-9', isViewer: false });
    await api.post('/api/jobs', aJob);
    assert.deepEqual(
      api.created.map(({ teamId }) => teamId),
      ['team-1', 'team-9'],
    );
  });
});

describe('a failed validation without Accept: application/json', () => {
  test('is a redirect to the start page, in HTML, without details', async () => {
    await using api = await ApiServer.start({ baseUrl: 'https://belfry.example/x&y/' });
    for (const Accept of [undefined, '*/*', 'text/html, text/plain']) {
      const headers = Accept === undefined ? {} : { Accept };
      const answer = await api.send({ headers, body: '' });
      assert.equal(answer.status, 302);
      assert.equal(answer.headers.location, 'https://belfry.example/x&y/');
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
      assert.match(answer.text, /href="https:\/\/belfry.example\/x&amp;y\/"/);
      assert.doesNotMatch(answer.text, /required/);
    }
  });

  test('is 422 for a script that takes anything', async () => {
    await using api = await ApiServer.start();
    const headers = { Accept: '*/*', 'X-Requested-With': 'XMLHttpRequest' };
    assert.equal((await api.send({ headers })).status, 422);
  });
});

describe('faults behind the API', () => {
  test('a database that is away is 503 with Retry-After', async () => {
    await using api = await ApiServer.start();
    api.fault = Object.assign(new Error('away'), { code: 'STORE_UNAVAILABLE' });
    const answer = await api.post('/api/jobs', aJob);
    assert.equal(answer.status, 503);
    assert.equal(answer.text, '{"message":"Service Unavailable"}');
    assert.equal(answer.headers['retry-after'], '5');
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.deepEqual(
      api.logged.map(({ event }) => event),
      ['api.unavailable'],
    );
  });

  test('calls that a database refuses are counted in one short line every ten seconds', async () => {
    await using api = await ApiServer.start();
    api.fault = Object.assign(new Error('database or disk is full'), { code: 'STORE_UNAVAILABLE' });
    for (let n = 0; n < 20; n++) assert.equal((await api.post('/api/jobs', aJob)).status, 503);
    const line = (refused: number) => ({
      event: 'api.unavailable',
      fields: { refused, error: 'database or disk is full' },
    });
    assert.deepEqual(api.logged, [line(1)]);
    await api.clock.advance(10_000);
    assert.deepEqual(api.logged, [line(1), line(19)]);
    await api.clock.advance(60_000);
    assert.equal(api.logged.length, 2, 'nothing is said of nothing');
    await api.post('/api/jobs', aJob);
    assert.deepEqual(api.logged.at(-1), line(1));
  });

  test('any other fault gives a 500 without details and is logged without the body', async () => {
    await using api = await ApiServer.start();
    api.fault = new Error('secret detail');
    const answer = await api.post('/api/crons?token=t', { ...aCron, payload: 'private' });
    assert.equal(answer.status, 500);
    assert.equal(answer.text, '{"message":"Server Error"}');
    assert.deepEqual(api.logged, [
      { event: 'api.failed', fields: { path: '/api/crons', error: api.fault } },
    ]);
  });
});

describe('the table of validation cases, over HTTP', () => {
  const file = new URL('../../spec/cases/validation.json', import.meta.url);
  const cases = JSON.parse(readFileSync(file, 'utf8')) as {
    endpoint: string;
    body: unknown;
    expected: { status: number; message?: string; errors?: object };
  }[];
  test('each row is answered as stated', async () => {
    await using api = await ApiServer.start({ rateLimiter: null });
    for (const { endpoint, body, expected } of cases) {
      const answer = await api.post(endpoint, body);
      assert.equal(answer.status, expected.status, JSON.stringify(body));
      if (expected.status === 201) continue;
      const { message, errors } = expected;
      assert.deepEqual(json(answer.text), { message, errors });
    }
  });
});
