/** §2.2: a job as created with POST /api/jobs; §2.9, §2.10, §4.5, §7.1, §1.2, §2.6. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_QUEUE_SETTINGS } from '#domain/queue-settings';
import { countStored, expectCreated, expectRefused } from '#testing/api-calls';
import { callHttp } from '#testing/client';
import { aJob } from '#testing/api-server';
import { type TestService, useService } from '#testing/service';
import { forEachStore, openSqliteTestStore } from '#testing/stores';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const METHOD = 'The method must be one of: GET, POST, PUT, PATCH, DELETE.';

async function readJob(service: TestService, body: Record<string, unknown> | string) {
  const { json } = await expectCreated(service, '/api/jobs', body);
  const job = await service.work.findJob(service.teamId, String(json['job_id']));
  assert.ok(job, 'the job is stored');
  assert.equal(job.queueId, json['queue_id']);
  return job;
}

/** A job's body in which one field has the given JSON text. */
const withRaw = (field: string, raw: string) =>
  `${JSON.stringify(aJob).slice(0, -1)},${JSON.stringify(field)}:${raw}}`;

forEachStore((_, openTestStore) => {
  const service = useService(openTestStore, { sends: false });

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
      const job = await readJob(
        service,
        `${JSON.stringify(body).slice(0, -1)},"payload":${payload}}`,
      );
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
      for (const nothing of [undefined, null, '', ' \t\n']) {
        const fields = Object.fromEntries(optional.map((field) => [field, nothing]));
        const job = await readJob(service, { ...aJob, ...fields });
        assert.equal(job.method, 'POST');
        assert.deepEqual(job.headers, []);
        assert.equal(job.payload, null);
        assert.equal(job.callbackUrl, null);
        assert.equal(job.scheduledAt, service.clock.now());
      }
    });

    test('a payload may be 512 levels deep, object or array (§2.6)', async () => {
      const lists = `${'['.repeat(512)}${']'.repeat(512)}`;
      const objects = `${'{"a":'.repeat(511)}{}${'}'.repeat(511)}`;
      for (const payload of [lists, objects, '{}', '[]', '[1,"a",null]', '{"__proto__":{"a":1}}']) {
        assert.equal((await readJob(service, withRaw('payload', payload))).payload, payload);
      }
    });

    test('the longest value of every field of a job is stored whole', async () => {
      const queue = '😀'.repeat(255);
      const url = `https://example.com/${'é'.repeat(2048 - 20)}`;
      const job = await readJob(service, { queue, url, callback_url: url, delay: 86_400 });
      assert.deepEqual([job.queue, job.url, job.callbackUrl], [queue, url, url]);
      assert.equal(job.scheduledAt, service.clock.now() + 86_400_000);
    });
  });

  describe('the queue of a job', () => {
    test('a new queue name creates a queue with the defaults of §2.3', async () => {
      await readJob(service, { ...aJob, queue: 'fresh' });
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
      const job = await readJob(service, {
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

    test('simultaneous jobs with a new queue name create one queue', async () => {
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

    test('queue names are compared exactly: case and spaces count (§4.5)', async () => {
      const names = ['mail', 'Mail', 'mail ', ' mail', 'mäil', 'ma\u0308il', 'mail/', 'mail\n'];
      const ids = new Set<string>();
      for (const queue of names) ids.add((await readJob(service, { ...aJob, queue })).queueId);
      assert.equal(ids.size, names.length);
    });

    test('the same name in another team is another queue', async () => {
      const made = await service.people.operator.createUser({
        email: 'grace@example.com',
        password: 'correct horse battery',
        team: 'Compilers',
      });
      assert.ok(made.kind === 'created');
      const authorization = { Authorization: `Bearer ${made.apiToken}` };
      const ours = await service.post('/api/jobs', { ...aJob, queue: 'shared' });
      const theirs = await service.post('/api/jobs', { ...aJob, queue: 'shared' }, authorization);
      assert.notEqual(ours.json['queue_id'], theirs.json['queue_id']);
      const theirJob = String(theirs.json['job_id']);
      assert.ok(await service.work.findJob(made.teamId, theirJob));
      assert.equal(await service.work.findJob(service.teamId, theirJob), null);
    });
  });

  test('each call creates a new job; there is no idempotency key', async () => {
    const before = await countStored(service.store);
    const key = { 'Idempotency-Key': 'same' };
    const ids = new Set<unknown>();
    const body = { ...aJob, id: 'same', job_id: 'same', idempotency_key: 'same' };
    for (let n = 0; n < 3; n++)
      ids.add((await service.post('/api/jobs', body, key)).json['job_id']);
    assert.equal(ids.size, 3);
    assert.ok(!ids.has('same'));
    assert.equal((await countStored(service.store)).jobs, before.jobs + 3);
  });

  test('a rejected job creates no queue', async () => {
    await expectRefused(
      service,
      '/api/jobs',
      { ...aJob, queue: 'never', delay: -1 },
      { delay: ['The delay field must be at least 0.'] },
    );
    assert.equal(await service.work.findQueueByName(service.teamId, 'never'), null);
  });
});

describe('POST /api/jobs', () => {
  const service = useService(openSqliteTestStore, { sends: false });

  const refuse = (change: object, errors: Record<string, string[]>) =>
    expectRefused(service, '/api/jobs', { ...aJob, ...change }, errors);
  const create = (change: object) => expectCreated(service, '/api/jobs', { ...aJob, ...change });

  test('a new job is answered with 201 and exactly these bytes (§1.2)', async () => {
    const { text, headers, json } = await create({ delay: 65 });
    assert.equal(headers.get('content-type'), 'application/json');
    for (const id of ['queue_id', 'job_id']) assert.match(String(json[id]), UUID_V7);
    assert.equal(
      text,
      `{"success":true,"queue_id":"${String(json['queue_id'])}","job_id":"${String(json['job_id'])}",` +
        '"scheduled_at":"2026-11-21T12:01:05+00:00","message":"Scheduled successfully"}',
    );
  });

  test('a job has a delay and no absolute run time', async () => {
    const { json } = await create({
      scheduled_at: '2030-01-01T00:00:00Z',
      run_at: '2030-01-01T00:00:00Z',
    });
    assert.equal(json['scheduled_at'], '2026-11-21T12:00:00+00:00');
  });

  test('a list of jobs is read as a body without fields', async () => {
    await expectRefused(service, '/api/jobs', [aJob, aJob], {
      queue: ['A queue name is required.'],
      url: ['A target URL is required.'],
    });
  });

  for (const [field, message] of Object.entries({
    queue: 'A queue name is required.',
    url: 'A target URL is required.',
  })) {
    test(`a job whose ${field} is absent, null, empty or white space is rejected: "${message}"`, async () => {
      for (const nothing of [undefined, null, '', ' ', '\t\n\u00a0']) {
        await refuse({ [field]: nothing }, { [field]: [message] });
      }
    });
    test(`a job whose ${field} is no string is rejected: it must be a string (§7.1)`, async () => {
      for (const wrong of [5, true, false, 0, [], {}, ['a']]) {
        await refuse({ [field]: wrong }, { [field]: [`The ${field} field must be a string.`] });
      }
    });
  }

  test('a queue name has at most 255 characters and no NUL', async () => {
    await create({ queue: 'é'.repeat(255) });
    await refuse(
      { queue: '😀'.repeat(256) },
      { queue: ['The queue field must not be greater than 255 characters.'] },
    );
    await refuse({ queue: 'a\0' }, { queue: ['The queue field must be a string.'] });
  });

  test("a job's url and callback_url follow the rules of a cron's", async () => {
    const tooLong = 'http://a.b/'.padEnd(2049, 'x');
    await refuse(
      { url: tooLong, callback_url: 'http://a@b/' },
      {
        url: ['The url field must not be greater than 2048 characters.'],
        callback_url: ['The callback url field must be a valid URL.'],
      },
    );
    await refuse(
      { url: 'ftp://a.b/', callback_url: tooLong },
      {
        url: ['The target URL must be a valid URL.'],
        callback_url: ['The callback url field must not be greater than 2048 characters.'],
      },
    );
  });

  test("a job's method is GET, POST, PUT, PATCH or DELETE in uppercase", async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) await create({ method });
    for (const method of ['get', 'Post', 'HEAD', 'TRACE', 'POST ', 'x']) {
      await refuse({ method }, { method: [METHOD] });
    }
    await refuse({ method: ['GET'] }, { method: ['The method field must be a string.'] });
  });

  test("a job's payload is an object or an array; a string or a number is rejected", async () => {
    for (const payload of ['{"a":1}', 'text', '[]', 5, 0, 1.5, true, false]) {
      await refuse({ payload }, { payload: ['The payload field must be an array.'] });
    }
  });

  test('a payload deeper than 512 levels is rejected, however deep (§2.6)', async () => {
    for (const depth of [513, 100_000]) {
      const body = withRaw('payload', `${'['.repeat(depth)}${']'.repeat(depth)}`);
      await expectRefused(service, '/api/jobs', body, {
        payload: ['The payload field must not be nested deeper than 512 levels.'],
      });
    }
  });

  test('a delay is 0 to 86,400 seconds, an integer or a decimal string (§2.2, §4.5)', async () => {
    for (const delay of [0, '0', -0]) {
      assert.equal((await create({ delay })).json['scheduled_at'], '2026-11-21T12:00:00+00:00');
    }
    for (const delay of [86_400, '86400']) {
      assert.equal((await create({ delay })).json['scheduled_at'], '2026-11-22T12:00:00+00:00');
    }
    for (const delay of [-1, '-1', -86_400]) {
      await refuse({ delay }, { delay: ['The delay field must be at least 0.'] });
    }
    for (const delay of [86_401, '86401', 9e15]) {
      await refuse({ delay }, { delay: ['The delay cannot exceed 86400 seconds (24 hours).'] });
    }
    for (const delay of [1.5, '1.5', true, false, 'x', '1e3', '0x10', [], {}, [5]]) {
      await refuse({ delay }, { delay: ['The delay field must be an integer.'] });
    }
  });

  test('a rejected job reports every failing field, in the order of the table (§7.1)', async () => {
    await refuse(
      {
        delay: 'x',
        callback_url: 'x',
        payload: 'x',
        headers: 'x',
        method: 'x',
        url: 'x'.repeat(2049),
        queue: 7,
      },
      {
        queue: ['The queue field must be a string.'],
        url: [
          'The target URL must be a valid URL.',
          'The url field must not be greater than 2048 characters.',
        ],
        method: [METHOD],
        headers: ['The headers field must be an array.'],
        payload: ['The payload field must be an array.'],
        callback_url: ['The callback url field must be a valid URL.'],
        delay: ['The delay field must be an integer.'],
      },
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
});

describe('headers, of a cron and of a job (§2.10)', () => {
  const service = useService(openSqliteTestStore, { sends: false });

  const refuse = (headers: unknown, errors: Record<string, string[]>) =>
    expectRefused(service, '/api/jobs', { ...aJob, headers }, errors);
  const accept = async (headers: unknown) => (await readJob(service, { ...aJob, headers })).headers;

  test('headers are names with string values, sent as given', async () => {
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
    assert.deepEqual(await accept(given), Object.entries(given));
  });

  test('an empty list or object means no headers', async () => {
    for (const none of [[], {}, null]) assert.deepEqual(await accept(none), []);
  });

  test('headers that are no object are rejected', async () => {
    for (const wrong of ['X: 1', 5, true, false, ['X: 1'], [{ X: '1' }]]) {
      await refuse(wrong, { headers: ['The headers field must be an array.'] });
    }
  });

  test('a header value must be a string', async () => {
    for (const wrong of [1, true, null, ['a'], {}]) {
      await refuse(
        { 'X-A': wrong },
        { 'headers.X-A': ['The headers.X-A field must be a string.'] },
      );
    }
  });

  test('a header value has no control character but a tab and only Latin-1 characters', async () => {
    for (const wrong of [
      'a\r\nX-B: 2',
      'a\nb',
      'a\rb',
      'a\u0000',
      'a\u001f',
      'a\u007f',
      'ř',
      '😀',
      '\ud800',
    ]) {
      await refuse(
        { 'X-A': wrong },
        { 'headers.X-A': ['The headers.X-A field must be a valid HTTP header value.'] },
      );
    }
  });

  test('a header name must be an HTTP token', async () => {
    for (const wrong of ['', ' ', 'X A', 'X:A', 'X\r\nA', 'Ä', 'X/A', 'X(A)', '"X"']) {
      await refuse(
        { [wrong]: '1' },
        {
          [`headers.${wrong}`]: [`The headers.${wrong} field must have a valid HTTP header name.`],
        },
      );
    }
  });

  test('headers that frame the connection are rejected in any case', async () => {
    for (const name of [
      'Content-Length',
      'Transfer-Encoding',
      'Connection',
      'Keep-Alive',
      'Upgrade',
      'Expect',
      'TE',
      'Trailer',
      'Proxy-Authorization',
      'Proxy-x',
    ])
      for (const written of [name, name.toLowerCase(), name.toUpperCase()])
        await refuse(
          { [written]: '1' },
          { headers: [`The headers field must not set ${written}.`] },
        );
  });

  test('several faults of headers are all reported, those of the field as a whole first', async () => {
    await refuse(
      { 'X-A': 1, TE: 'x', 'a b': 'x', Trailer: null },
      {
        headers: ['The headers field must not set TE.', 'The headers field must not set Trailer.'],
        'headers.X-A': ['The headers.X-A field must be a string.'],
        'headers.a b': ['The headers.a b field must have a valid HTTP header name.'],
        'headers.Trailer': ['The headers.Trailer field must be a string.'],
      },
    );
  });

  test('headers have at most 100 entries and 16 KiB together', async () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'v']));
    const tooMany = 'The headers field must not have more than 100 items.';
    const tooLarge = 'The headers field must not be greater than 16384 bytes.';
    assert.equal((await accept(many(100))).length, 100);
    assert.equal((await accept({ A: 'é'.repeat(16 * 1024 - 1) })).length, 1);
    await refuse(many(101), { headers: [tooMany] });
    for (const size of [16 * 1024, 500_000])
      await refuse({ A: 'v'.repeat(size) }, { headers: [tooLarge] });
    await refuse({ ...many(101), A: 'v'.repeat(20_000) }, { headers: [tooMany, tooLarge] });
  });
});
