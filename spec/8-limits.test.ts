/** §8: the limits that a caller of the API meets; §7.1, §8.1, §8.2. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import { readConfig } from '#config/config';
import { silentLog } from '#domain/log';
import { Plans } from '#people/plans';
import { buildService } from '#app/service';
import {
  callHttp,
  countStored,
  expectCreated,
  expectRefused,
  leavingNothing,
} from '#testing/api-calls';
import { aCron, aJob } from '#testing/api-server';
import { startReceiver } from '#testing/receiver';
import { startService, type TestService } from '#testing/service';
import {
  forEachStore,
  openPostgresTestStore,
  openSqliteTestStore,
  TEST_APP_KEY,
} from '#testing/stores';

type Headers = Record<string, string>;

const jsonOf = (token: string): Headers => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  Accept: 'application/json',
});

/** Sends good jobs one after the other and gives what each answer leaves. */
async function sendJobs(
  url: string,
  token: string,
  count: number,
  { headers = {}, localAddress = '127.0.0.1' }: { headers?: Headers; localAddress?: string } = {},
) {
  const answers: { status: number; remaining: string | undefined }[] = [];
  for (let n = 0; n < count; n++) {
    const { status, headers: got } = await callHttp(`${url}/api/jobs`, {
      headers: { ...jsonOf(token), ...headers },
      localAddress,
      body: JSON.stringify(aJob),
    });
    answers.push({ status, remaining: got['x-ratelimit-remaining']?.toString() });
  }
  return answers;
}

async function listAlertLevels({ store, teamId }: TestService) {
  const alerts = await store.alerts.list(teamId, { limit: 100 });
  return alerts.map(({ level }) => level);
}

async function remainingFor(service: TestService, headers: Headers, localAddress?: string) {
  const from = localAddress === undefined ? { headers } : { headers, localAddress };
  const [answer] = await sendJobs(service.url, service.token, 1, from);
  return answer?.status === 429 ? 'refused' : answer?.remaining;
}

forEachStore((_, openTestStore) => {
  describe('60 requests per minute and client address', () => {
    let service: TestService;
    let addresses = 0;
    before(async () => {
      service = await startService(openTestStore, { sends: false, env: { API_RATE_LIMIT: '60' } });
    });
    after(() => service[Symbol.asyncDispose]());

    /** A loopback address that has not called yet. */
    const newAddress = () => `127.0.1.${++addresses}`;
    const send = (localAddress: string, path: string, body: unknown, headers: Headers = {}) =>
      callHttp(`${service.url}${path}`, {
        headers: { ...jsonOf(service.token), ...headers },
        body: JSON.stringify(body),
        localAddress,
      });

    test('both endpoints share the rate limit, and rejected requests count', async () => {
      const address = newAddress();
      const calls = [
        () => send(address, '/api/jobs', aJob),
        () => send(address, '/api/crons', aCron),
        () => send(address, '/api/jobs', {}),
        () => send(address, '/api/crons', {}, { Accept: 'text/html' }),
        () => send(address, '/api/crons', aCron, { Authorization: 'Bearer bad' }),
      ];
      const statuses = new Set<number>();
      for (let n = 0; n < 60; n++) {
        const answer = await calls[n % calls.length]?.();
        statuses.add(answer?.status ?? 0);
        assert.equal(answer?.headers['x-ratelimit-limit'], '60');
        assert.equal(answer.headers['x-ratelimit-remaining'], String(59 - n));
      }
      assert.deepEqual(statuses, new Set([201, 422, 302, 401]));
      await leavingNothing(service, async () => {
        for (const path of ['/api/jobs', '/api/crons']) {
          const body = { ...aCron, queue: 'refused' };
          assert.equal((await send(address, path, body)).status, 429);
        }
      });
    });

    test('the rate limit depends on the address only, not on token or team', async () => {
      const address = newAddress();
      await sendJobs(service.url, 'bad', 30, { localAddress: address });
      await sendJobs(service.url, service.token, 30, { localAddress: address });
      const made = await service.people.operator.createUser({
        email: `${address}@example.com`,
        password: 'correct horse battery',
        team: address,
      });
      assert.ok(made.kind === 'created');
      const authorization = { Authorization: `Bearer ${made.apiToken}` };
      assert.equal((await send(address, '/api/jobs', aJob, authorization)).status, 429);
      assert.equal((await send(newAddress(), '/api/jobs', aJob, authorization)).status, 201);
    });

    test('the rate limit has a fixed window of 60 s from its first request (§8.1)', async () => {
      const address = newAddress();
      assert.equal(await remainingFor(service, {}, address), '59');
      await service.clock.advance(30_000);
      await sendJobs(service.url, service.token, 59, { localAddress: address });
      assert.equal(await remainingFor(service, {}, address), 'refused');
      await service.clock.advance(29_999);
      assert.equal(await remainingFor(service, {}, address), 'refused');
      await service.clock.advance(1);
      assert.equal(await remainingFor(service, {}, address), '59', 'no sliding window');
    });

    test('a 429 neither opens nor extends a window (§8.1)', async () => {
      const address = newAddress();
      await sendJobs(service.url, service.token, 60, { localAddress: address });
      for (let second = 0; second < 59; second += 10) {
        assert.equal(await remainingFor(service, {}, address), 'refused');
        await service.clock.advance(10_000);
      }
      assert.equal(await remainingFor(service, {}, address), '59');
    });

    test('of many simultaneous calls exactly 60 are accepted', async () => {
      const address = newAddress();
      const calls = Array.from({ length: 75 }, () => send(address, '/api/jobs', aJob));
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 201).length, 60);
      assert.equal(statuses.filter((status) => status === 429).length, 15);
    });

    test('X-Forwarded-For is ignored without TRUSTED_PROXIES', async () => {
      const address = newAddress();
      for (let n = 0; n < 3; n++) {
        const headers = { 'X-Forwarded-For': `1.2.3.${n}`, 'X-Real-IP': `1.2.3.${n}` };
        assert.equal(await remainingFor(service, headers, address), String(59 - n));
      }
    });
  });
});

describe('behind trusted proxies (§8.1)', () => {
  const startBehind = (proxies: number) =>
    startService(openSqliteTestStore, {
      sends: false,
      env: { API_RATE_LIMIT: '5', TRUSTED_PROXIES: String(proxies) },
    });
  const from = (list: string) => ({ 'X-Forwarded-For': list });

  test('with TRUSTED_PROXIES=1 the last entry is the client', async () => {
    await using service = await startBehind(1);
    assert.equal(await remainingFor(service, from('1.1.1.1')), '4');
    assert.equal(await remainingFor(service, from('6.6.6.6, 1.1.1.1')), '3', 'made-up entries');
    assert.equal(await remainingFor(service, from('1.1.1.1, 2.2.2.2')), '4');
    assert.equal(await remainingFor(service, from(' ::ffff:1.1.1.1 ')), '2', 'one spelling');
    assert.equal(await remainingFor(service, from('1.1.1.1:4711')), '1', 'without its port');
    assert.equal(await remainingFor(service, from('1.1.1.1')), '0');
    assert.equal(await remainingFor(service, from('9.9.9.9, 1.1.1.1')), 'refused');
    assert.equal(await remainingFor(service, from('2001:db8::1')), '4');
    assert.equal(await remainingFor(service, from('[2001:DB8:0::1]:80')), '3');
  });

  test('with TRUSTED_PROXIES=2 the last entry but one is the client', async () => {
    await using service = await startBehind(2);
    assert.equal(await remainingFor(service, from('1.1.1.1, 10.0.0.1')), '4');
    assert.equal(await remainingFor(service, from('6.6.6.6, 1.1.1.1, 10.0.0.2')), '3');
    assert.equal(await remainingFor(service, from('1.1.1.1, 3.3.3.3, 10.0.0.1')), '4');
  });

  test("without a valid address in X-Forwarded-For the socket's address counts", async () => {
    await using service = await startBehind(1);
    const lists = [{}, from(''), from('unknown'), from('1.1.1.1, nonsense')];
    for (const [n, headers] of lists.entries()) {
      assert.equal(await remainingFor(service, headers), String(4 - n));
    }
    assert.equal(await remainingFor(service, from('300.1.1.1')), '0');
    assert.equal(await remainingFor(service, from('x'.repeat(5000))), 'refused');
  });
});

describe('API_RATE_LIMIT (§8.1)', () => {
  test('API_RATE_LIMIT sets another limit', async () => {
    await using service = await startService(openSqliteTestStore, {
      sends: false,
      env: { API_RATE_LIMIT: '2' },
    });
    const answers = await sendJobs(service.url, service.token, 3);
    assert.deepEqual(answers, [
      { status: 201, remaining: '1' },
      { status: 201, remaining: '0' },
      { status: 429, remaining: '0' },
    ]);
  });

  test('API_RATE_LIMIT=0 removes the limit and its headers', async () => {
    await using service = await startService(openSqliteTestStore, {
      sends: false,
      env: { API_RATE_LIMIT: '0' },
    });
    const answers = await sendJobs(service.url, service.token, 65);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    const { headers } = await service.post('/api/jobs', {});
    for (const name of headers.keys()) assert.doesNotMatch(name, /ratelimit|retry-after/);
  });

  test('API_RATE_LIMIT is 60 by default', () => {
    const config = readConfig({}, '/');
    assert.equal('errors' in config ? null : config.apiRateLimit, 60);
  });
});

describe('several nodes share the count (§8.1)', () => {
  test('two services on one Postgres reject the 61st request on either', async () => {
    const env = { API_RATE_LIMIT: '60' };
    await using first = await startService(openPostgresTestStore, { sends: false, env });
    await using second = await startNodeBeside(first, env);
    for (let n = 0; n < 30; n++) {
      const [one] = await sendJobs(first.url, first.token, 1);
      const [other] = await sendJobs(second.url, first.token, 1);
      assert.deepEqual(one, { status: 201, remaining: String(59 - 2 * n) });
      assert.deepEqual(other, { status: 201, remaining: String(58 - 2 * n) });
    }
    for (const { url } of [first, second, second, first]) {
      assert.deepEqual(await sendJobs(url, first.token, 1), [{ status: 429, remaining: '0' }]);
    }
    await first.clock.advance(60_000);
    const [one] = await sendJobs(second.url, first.token, 1);
    const [other] = await sendJobs(first.url, first.token, 1);
    assert.deepEqual([one?.remaining, other?.remaining], ['59', '58']);
  });
});

/** A second node on the database of the first, with the same clock. */
async function startNodeBeside(first: TestService, env: Record<string, string>) {
  const config = readConfig({ DATABASE_URL: 'sqlite::memory:', ...env }, '/');
  assert.ok(!('errors' in config));
  const store = await first.store.openAnother({ serving: true });
  const { app, sender } = buildService({
    config,
    appKey: TEST_APP_KEY,
    store,
    clock: first.clock,
    log: silentLog,
    baseUrl: first.url,
  });
  const answer = getRequestListener(app.fetch);
  const server = http.createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await sender.close();
    },
  };
}

describe('the bounds of a team (§8.3)', () => {
  const env = {
    MAX_CRONS_PER_TEAM: '1',
    MAX_QUEUES_PER_TEAM: '1',
    MAX_WAITING_PAYLOAD_MB: '1',
    API_RATE_LIMIT: '1000',
  };

  test('POST /api/crons beyond the bound gets 422 under name, or 302 without JSON', async () => {
    await using service = await startService(openSqliteTestStore, { env, sends: false });
    await expectCreated(service, '/api/crons', aCron);
    const refused = await service.post('/api/crons', aCron);
    const sentence = 'The team cannot have more crons: the limit is 1.';
    assert.equal(refused.status, 422);
    assert.deepEqual(refused.json, { message: sentence, errors: { name: [sentence] } });
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '998');
    const html = await service.post('/api/crons', aCron, { Accept: 'text/html' });
    assert.equal(html.status, 302);
    assert.equal((await countStored(service.store)).crons, 1);
  });

  test('POST /api/jobs beyond the bound rejects new queues and accepts jobs of known ones', async () => {
    await using service = await startService(openSqliteTestStore, { env, sends: false });
    await expectCreated(service, '/api/jobs', { ...aJob, queue: 'first' });
    const refused = await service.post('/api/jobs', { ...aJob, queue: 'second' });
    const sentence = 'The team cannot have more queues: the limit is 1.';
    assert.equal(refused.status, 422);
    assert.deepEqual(refused.json, { message: sentence, errors: { queue: [sentence] } });
    await expectCreated(service, '/api/jobs', { ...aJob, queue: 'first' });
    assert.deepEqual(await countStored(service.store), {
      crons: 0,
      queues: 1,
      jobs: 2,
      executions: 0,
    });
  });

  test('POST /api/jobs answers 503 with Retry-After while too many payloads wait', async () => {
    await using service = await startService(openSqliteTestStore, { env, sends: false });
    const large = { ...aJob, delay: 3600, payload: { text: 'x'.repeat(400_000) } };
    for (let n = 0; n < 2; n++) await expectCreated(service, '/api/jobs', large);
    const refused = await service.post('/api/jobs', large);
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '997');
    assert.deepEqual(refused.json, {
      message: "The payloads of the team's waiting jobs have reached the limit of 1 MiB.",
    });
    await expectCreated(service, '/api/jobs', { ...aJob, payload: undefined });
    assert.equal((await countStored(service.store)).jobs, 3);
  });
});

describe('the limits of fields: the last accepted value and the first rejected one', () => {
  let service: TestService;
  before(async () => {
    service = await startService(openSqliteTestStore, { sends: false });
  });
  after(() => service[Symbol.asyncDispose]());

  const characters = (label: string, most: number) =>
    `The ${label} field must not be greater than ${most} characters.`;
  const url = (length: number) => 'https://a.b/'.padEnd(length, 'x');
  const list = (length: number) => {
    const minutes = length - ' * * * *'.length;
    return `${'10,'.repeat(minutes / 3)}${'1'.repeat(minutes % 3)} * * * *`;
  };
  const timeout = 'timeout_seconds';
  const threshold = 'alert_threshold';
  const ROWS: {
    path: '/api/crons' | '/api/jobs';
    field: string;
    taken: unknown[];
    refused: [value: unknown, message: string][];
  }[] = [
    {
      path: '/api/crons',
      field: 'name',
      taken: ['n', 'n'.repeat(255), '😀'.repeat(255)],
      refused: [['n'.repeat(256), characters('name', 255)]],
    },
    ...(['/api/crons', '/api/jobs'] as const).flatMap((path) =>
      ['url', 'callback_url'].map((field) => ({
        path,
        field,
        taken: ['http://a', url(2048)],
        refused: [[url(2049), characters(field.replace('_', ' '), 2048)]] as [unknown, string][],
      })),
    ),
    {
      path: '/api/crons',
      field: 'cron_expression',
      taken: ['* * * * *', list(255)],
      refused: [[list(256), characters('cron expression', 255)]],
    },
    {
      path: '/api/jobs',
      field: 'queue',
      taken: ['q', 'q'.repeat(255)],
      refused: [['q'.repeat(256), characters('queue', 255)]],
    },
    {
      path: '/api/crons',
      field: timeout,
      taken: [1, 300],
      refused: [
        [0, 'Timeout must be at least 1 second.'],
        [301, 'Timeout cannot exceed 300 seconds (5 minutes).'],
      ],
    },
    {
      path: '/api/crons',
      field: threshold,
      taken: [1, 2, 3],
      refused: [
        [0, 'The alert threshold must be 1, 2, or 3.'],
        [4, 'The alert threshold must be 1, 2, or 3.'],
      ],
    },
    {
      path: '/api/jobs',
      field: 'delay',
      taken: [0, 86_400],
      refused: [
        [-1, 'The delay field must be at least 0.'],
        [86_401, 'The delay cannot exceed 86400 seconds (24 hours).'],
      ],
    },
  ];
  for (const { path, field, taken, refused } of ROWS) {
    test(`the limit of ${field} of ${path}`, async () => {
      const good = path === '/api/crons' ? aCron : aJob;
      for (const value of taken) await expectCreated(service, path, { ...good, [field]: value });
      for (const [value, message] of refused) {
        await expectRefused(service, path, { ...good, [field]: value }, { [field]: [message] });
      }
    });
  }
});

forEachStore((_, openTestStore) => {
  describe('an exhausted monthly limit', () => {
    test('over the limit the API answers 201 and jobs fail without retry, dead letter, callback or alert', async () => {
      await using receiver = await startReceiver();
      await using service = await startService(openTestStore, { plan: 'tiny' });
      await service.work.setQueue(service.teamId, 'emails', { emailAlerts: true });
      const body = {
        ...aJob,
        url: `${receiver.url}/job`,
        callback_url: `${receiver.url}/callback`,
      };
      for (let n = 1; n <= 3; n++) {
        await expectCreated(service, '/api/jobs', body);
        await receiver.waitFor(2 * n);
        await service.quiet();
      }
      const { json } = await expectCreated(service, '/api/jobs', body);
      await service.quiet();
      const blocked = await service.work.listAttempts(service.teamId, String(json['job_id']));
      assert.equal(blocked.length, 1, 'no retry');
      assert.equal(blocked[0]?.status, 'failed', 'no dead letter');
      assert.equal(blocked[0].reason, 'limit_exceeded');
      assert.equal(blocked[0].errorMessage, 'Monthly limit reached');
      assert.equal(blocked[0].responseStatus, null);
      // The default schedule would retry it after a minute.
      await service.advance(61_000);
      assert.deepEqual(await listAlertLevels(service), []);
      const counted = Object.groupBy(receiver.requests, ({ url }) => url);
      assert.equal(counted['/job']?.length, 3);
      assert.equal(counted['/callback']?.length, 3, 'callbacks do not count, and none for the 4th');
      assert.equal((await countStored(service.store)).jobs, 4);
    });

    test('over the limit crons stay on schedule and record failed runs', async () => {
      await using receiver = await startReceiver();
      await using service = await startService(openTestStore, { plan: 'tiny' });
      const { json } = await expectCreated(service, '/api/crons', {
        ...aCron,
        cron_expression: '* * * * *',
        url: receiver.url,
        alert_threshold: 1,
      });
      const id = String(json['id']);
      for (let minute = 1; minute <= 5; minute++) {
        await service.advance(60_000);
        if (minute <= 3) await receiver.waitFor(minute);
        await service.quiet();
      }
      const runs = await service.work.listExecutions(service.teamId, id, 10);
      assert.deepEqual(
        runs.map(({ status, reason }) => [status, reason]),
        [
          ['failed', 'limit_exceeded'],
          ['failed', 'limit_exceeded'],
          ['success', null],
          ['success', null],
          ['success', null],
        ],
      );
      assert.equal(receiver.requests.length, 3);
      assert.deepEqual(await listAlertLevels(service), []);
      const cron = await service.work.findCron(service.teamId, id);
      assert.equal(cron?.isActive, true);
      assert.equal(cron.nextRunAt, service.clock.now() + 60_000);
    });

    test('sending resumes in the next month in UTC', async () => {
      await using receiver = await startReceiver();
      await using service = await startService(openTestStore, { plan: 'tiny' });
      const body = { ...aJob, url: receiver.url };
      const send = async () => {
        await expectCreated(service, '/api/jobs', body);
        await service.quiet();
        return receiver.requests.length;
      };
      for (const sent of [1, 2, 3, 3]) assert.equal(await send(), sent);
      service.clock.jumpTo('2026-11-30T23:59:59.999Z');
      assert.equal(await send(), 3);
      service.clock.jumpTo('2026-12-01T00:00:00Z');
      assert.equal(await send(), 4);
    });

    test('sending resumes after an upgrade, and other teams were not affected', async () => {
      await using receiver = await startReceiver();
      await using service = await startService(openTestStore, { plan: 'tiny' });
      const other = await service.people.operator.createUser({
        email: 'other@example.com',
        password: 'correct horse battery',
        team: 'Others',
      });
      assert.ok(other.kind === 'created');
      const send = async (token = service.token) => {
        const authorization = { Authorization: `Bearer ${token}` };
        const body = { ...aJob, url: receiver.url };
        assert.equal((await service.post('/api/jobs', body, authorization)).status, 201);
        await service.quiet();
        return receiver.requests.length;
      };
      for (const sent of [1, 2, 3, 3]) assert.equal(await send(), sent);
      assert.equal(await send(other.apiToken), 4);
      await service.people.operator.setPlan(service.teamId, 'unlimited');
      assert.equal(await send(), 5);
    });
  });
});

test('without PLANS every team but the first has 1,000 runs a month', () => {
  const config = readConfig({}, '/');
  assert.ok(!('errors' in config));
  const plans = new Plans(config);
  assert.deepEqual([plans.ofFirstTeam, plans.ofNewTeam], ['unlimited', 'free']);
  assert.equal(plans.limitOf('unlimited'), null);
  assert.equal(plans.limitOf('free'), 1000);
  assert.equal(plans.limitOf('one that PLANS had before'), 1000);
});

test('the first of PLANS is the plan of every new team, the first team too', () => {
  const config = readConfig({ PLANS: 'small=3,large=unlimited' }, '/');
  assert.ok(!('errors' in config));
  const plans = new Plans(config);
  assert.deepEqual([plans.ofFirstTeam, plans.ofNewTeam], ['small', 'small']);
  assert.equal(plans.limitOf('free'), 3, 'a plan that PLANS does not have');
});
