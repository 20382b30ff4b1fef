/** §2.2: a job as created with POST /api/jobs; §2.10, §4.5, §1.2, §2.6. What its fields reject is in 2-fields. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_QUEUE_SETTINGS } from '#domain/team/queue-settings';
import { countStored, expectCreated } from '#testing/api-calls';
import { callHttp } from '#testing/client';
import { aJob } from '#testing/api-server';
import { startService, useService } from '#testing/service';
import { forEachStore, openSqliteTestStore } from '#testing/stores';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const service = useService(openSqliteTestStore, { sends: false });

async function readJob(body: Record<string, unknown> | string) {
  const { json } = await expectCreated(service, '/api/jobs', body);
  const job = await service.work.findJob(service.teamId, String(json['job_id']));
  assert.ok(job, 'the job is stored');
  assert.equal(job.queueId, json['queue_id']);
  return job;
}

/** A job's body in which one field has the given JSON text. */
const withRaw = (field: string, raw: string) =>
  `${JSON.stringify(aJob).slice(0, -1)},${JSON.stringify(field)}:${raw}}`;

describe('a stored job', () => {
  test('a job is stored with every value as sent, byte for byte (§4.5, §2.6)', async () => {
    const payload =
      '{ "b" : 1.0, "1": 9007199254740993, "e":1e400, "s":"\\u0000\\ud800 é\\/", "o":{} }';
    const body = {
      queue: ' Émails 😀/1 ',
      url: 'https://EXAMPLE.com:8443/Hook/../a?b=%C3%A9&c=ü#top',
      method: 'PUT',
      headers: { 'X-Key': 'é a', 'x-lower': '' },
      callback_url: 'http://example.com/cb?ref=a/b',
      delay: 90,
    };
    const job = await readJob(`${JSON.stringify(body).slice(0, -1)},"payload":${payload}}`);
    assert.match(job.id, UUID_V7);
    assert.equal(job.originalId, job.id);
    assert.equal(job.attemptNumber, 1);
    assert.equal(job.status, 'pending');
    assert.equal(job.createdAt, service.clock.now());
    assert.equal(job.scheduledAt, service.clock.now() + 90_000);
    assert.equal(job.queue, body.queue);
    assert.equal(job.url, body.url);
    assert.equal(job.method, 'PUT');
    assert.deepEqual(job.headers, [
      ['X-Key', 'é a'],
      ['x-lower', ''],
    ]);
    assert.equal(job.payload, payload);
    assert.equal(job.callbackUrl, body.callback_url);
    assert.equal(job.response, null);
  });

  test('absent and empty fields of a job get their defaults (§4.5)', async () => {
    const optional = ['method', 'headers', 'payload', 'callback_url', 'delay'];
    for (const nothing of [undefined, null, ' \t\n']) {
      const fields = Object.fromEntries(optional.map((field) => [field, nothing]));
      const job = await readJob({ ...aJob, ...fields });
      assert.equal(job.method, 'POST');
      assert.deepEqual(job.headers, []);
      assert.equal(job.payload, null);
      assert.equal(job.callbackUrl, null);
      assert.equal(job.scheduledAt, service.clock.now());
    }
  });

  test('a payload may be 512 levels deep, object or array (§2.6)', async () => {
    const lists = `${'['.repeat(512)}${']'.repeat(512)}`;
    for (const payload of [lists, '{}', '{"__proto__":{"a":1}}']) {
      assert.equal((await readJob(withRaw('payload', payload))).payload, payload);
    }
  });
});

describe('the queue of a job', () => {
  test('a new queue name creates a queue with the defaults of §2.3', async () => {
    await readJob({ ...aJob, queue: 'fresh' });
    const queue = await service.work.findQueueByName(service.teamId, 'fresh');
    assert.ok(queue);
    const { teamId, id, name, createdAt, ...settings } = queue;
    assert.deepEqual([teamId, name, createdAt], [service.teamId, 'fresh', service.clock.now()]);
    assert.match(id, UUID_V7);
    assert.deepEqual(settings, DEFAULT_QUEUE_SETTINGS);
    assert.equal(settings.timeoutSeconds, 30);
    assert.deepEqual(settings.retrySchedule, [60, 1800, 10_800]);
    assert.equal(settings.deadLetterDays, 14);
  });

  test('a job does not change the settings of an existing queue', async () => {
    const set = await service.work.setQueue(service.teamId, 'kept', {
      timeoutSeconds: 7,
      retriesEnabled: false,
      isPaused: true,
    });
    const job = await readJob({
      ...aJob,
      queue: 'kept',
      timeout: 1,
      timeout_seconds: 1,
      retries: 0,
      retry_schedule: [],
      concurrency_limit: 1,
      success_assertions: [{ kind: 'body_contains', text: 'x' }],
      is_paused: false,
    });
    assert.equal(job.queueId, set.id);
    assert.deepEqual(await service.work.findQueueByName(service.teamId, 'kept'), set);
  });

  test('queue names are compared exactly: case and spaces count (§4.5)', async () => {
    const names = ['mail', 'Mail', 'mail ', ' mail', 'mäil', 'ma\u0308il', 'mail/', 'mail\n'];
    const ids = new Set<string>();
    for (const queue of names) ids.add((await readJob({ ...aJob, queue })).queueId);
    assert.equal(ids.size, names.length);
  });
});

test('each call creates a new job; there is no idempotency key', async () => {
  const before = await countStored(service.store);
  const key = { 'Idempotency-Key': 'same' };
  const ids = new Set<unknown>();
  const body = { ...aJob, id: 'same', job_id: 'same', idempotency_key: 'same' };
  for (let n = 0; n < 3; n++) ids.add((await service.post('/api/jobs', body, key)).json['job_id']);
  assert.equal(ids.size, 3);
  assert.ok(!ids.has('same'));
  assert.equal((await countStored(service.store)).jobs, before.jobs + 3);
});

test('a new job is answered with 201 and exactly these bytes (§1.2)', async () => {
  const { text, headers, json } = await expectCreated(service, '/api/jobs', {
    ...aJob,
    delay: 65,
  });
  assert.equal(headers.get('content-type'), 'application/json');
  for (const id of ['queue_id', 'job_id']) assert.match(String(json[id]), UUID_V7);
  assert.equal(
    text,
    `{"success":true,"queue_id":"${String(json['queue_id'])}","job_id":"${String(json['job_id'])}",` +
      '"scheduled_at":"2026-11-21T12:01:05+00:00","message":"Scheduled successfully"}',
  );
});

test('a form can set every field of a job (§4.5)', async () => {
  const body = new URLSearchParams({
    queue: 'forms',
    url: 'https://example.com/',
    method: 'PUT',
    'headers[X-A]': '1',
    'payload[a][b]': 'x y',
    'payload[list][]': '1',
    delay: '60',
  });
  const headers = {
    Authorization: `Bearer ${service.token}`,
    'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8',
  };
  const answer = await callHttp(`${service.url}/api/jobs`, { headers, body: String(body) });
  assert.equal(answer.status, 201, answer.text);
  const { job_id } = JSON.parse(answer.text) as { job_id: string };
  const job = await service.work.findJob(service.teamId, job_id);
  assert.equal(job?.queue, 'forms');
  assert.equal(job.payload, '{"a":{"b":"x y"},"list":["1"]}');
  assert.deepEqual(job.headers, [['X-A', '1']]);
  assert.equal(job.scheduledAt, service.clock.now() + 60_000);
});

test('headers are names with string values, stored as given (§2.10)', async () => {
  const given = {
    Host: 'other.example',
    Authorization: 'Bearer x',
    Cookie: 'a=b',
    "!#$%&'*+-.^_`|~09aZ": 'every character that a name may have',
    Tab: 'a\tb',
    Upper: '\u0080ÿ',
    Empty: '',
    TEA: 'not TE',
    Proxy: 'not Proxy-Connection',
  };
  assert.deepEqual((await readJob({ ...aJob, headers: given })).headers, Object.entries(given));
  assert.deepEqual((await readJob({ ...aJob, headers: [] })).headers, []);
});

forEachStore((_, openTestStore) => {
  test('simultaneous jobs with a new queue name create one queue', async () => {
    await using service = await startService(openTestStore, { sends: false });
    const before = await countStored(service.store);
    const calls = Array.from({ length: 12 }, () =>
      service.post('/api/jobs', { ...aJob, queue: 'rush' }),
    );
    const answers = await Promise.all(calls);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    assert.equal(new Set(answers.map(({ json }) => json['queue_id'])).size, 1);
    const after = await countStored(service.store);
    assert.deepEqual(after, { ...before, queues: before.queues + 1, jobs: before.jobs + 12 });
  });
});
