/** §8: the limits that a caller of the API meets; §7.1, §8.1, §8.2. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from '#config/config';
import { HOUR_MS } from '#domain/base/instant';
import { createPlans } from '#people/plans';
import { createSharedRateLimiter } from '#app/shared-rate-limiter';
import { countStored, expectCreated, leavingNothing } from '#testing/api-calls';
import { callHttp } from '#testing/client';
import { aCron, aJob } from '#testing/api-server';
import { startService, type TestService, useService } from '#testing/service';
import { openPostgresTestStore, openSqliteTestStore } from '#testing/stores';
import { aUser } from '#testing/users';

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
  const answers: { status: number; remaining: string | null }[] = [];
  for (let n = 0; n < count; n++) {
    const { status, headers: got } = await callHttp(`${url}/api/jobs`, {
      headers: { ...jsonOf(token), ...headers },
      localAddress,
      body: JSON.stringify(aJob),
    });
    answers.push({ status, remaining: got.get('x-ratelimit-remaining') });
  }
  return answers;
}

async function remainingFor(service: TestService, headers: Headers, localAddress?: string) {
  const from = localAddress === undefined ? { headers } : { headers, localAddress };
  const [answer] = await sendJobs(service.url, service.token, 1, from);
  return answer?.status === 429 ? 'refused' : answer?.remaining;
}

describe('60 requests per minute and client address', () => {
  const service = useService(openSqliteTestStore, { sends: false, env: { API_RATE_LIMIT: '60' } });
  let addresses = 0;

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
      assert.equal(answer?.headers.get('x-ratelimit-limit'), '60');
      assert.equal(answer.headers.get('x-ratelimit-remaining'), String(59 - n));
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
    const made = await aUser(service, `${address}@example.com`);
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

  test('of many simultaneous calls exactly 60 are accepted', async () => {
    const address = newAddress();
    const calls = Array.from({ length: 75 }, () => send(address, '/api/jobs', aJob));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 60);
    assert.equal(statuses.filter((status) => status === 429).length, 15);
  });
});

describe('API_RATE_LIMIT (§8.1)', () => {
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
});

test('the API counts calls together with other nodes on one Postgres', async () => {
  const env = { API_RATE_LIMIT: '2' };
  await using service = await startService(openPostgresTestStore, { sends: false, env });
  const { sharedRates } = await service.store.openAnother({ serving: true });
  const other = createSharedRateLimiter(2, sharedRates ?? assert.fail());
  const hit = () => other.hit('127.0.0.1', service.clock.now());
  await hit();
  const answers = await sendJobs(service.url, service.token, 2);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 429],
  );
  assert.equal((await hit()).allowed, false, 'the other node refuses its next call, too');
});

test('on several nodes, a clock that is set back refuses nobody', async () => {
  await using store = await openPostgresTestStore();
  const limiter = createSharedRateLimiter(1, store.rateLimits);
  const hit = async (now: number) => (await limiter.hit('127.0.0.1', now)).allowed;
  const now = store.clock.now();
  for (const [at, allowed] of [
    [now + HOUR_MS, true],
    [now + HOUR_MS, false],
    [now, true],
    [now, false],
  ] as const)
    assert.equal(await hit(at), allowed);
});

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
    const { queues, jobs } = await countStored(service.store);
    assert.deepEqual({ queues, jobs }, { queues: 1, jobs: 2 });
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

test('a plan that PLANS no longer has counts as that of a new team', () => {
  const config = readConfig({}, '/');
  assert.ok(!('errors' in config));
  const plans = createPlans(config);
  assert.deepEqual([plans.ofFirstTeam, plans.ofNewTeam], ['unlimited', 'free']);
  assert.equal(plans.limitOf('one of an earlier PLANS'), 1000);
});

test('the first of PLANS is the plan of every new team, the first team too', () => {
  const config = readConfig({ PLANS: 'small=3,large=unlimited' }, '/');
  assert.ok(!('errors' in config));
  const plans = createPlans(config);
  assert.deepEqual([plans.ofFirstTeam, plans.ofNewTeam], ['small', 'small']);
  assert.equal(plans.limitOf('free'), 3, 'a plan that PLANS does not have');
});
