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

/** Sends good jobs one after the other and gives their statuses. */
async function sendJobs({ url, token }: TestService, count: number, localAddress = '127.0.0.1') {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) {
    const call = { headers: jsonOf(token), localAddress, body: JSON.stringify(aJob) };
    statuses.push((await callHttp(`${url}/api/jobs`, call)).status);
  }
  return statuses;
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

  test('all requests of an address share the rate limit, whatever their token, path or outcome', async () => {
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
    const other = await aUser(service, `${address}@example.com`);
    const authorization = { Authorization: `Bearer ${other.apiToken}` };
    await leavingNothing(service, async () => {
      for (const path of ['/api/jobs', '/api/crons']) {
        const body = { ...aCron, queue: 'refused' };
        assert.equal((await send(address, path, body, authorization)).status, 429);
      }
    });
    assert.equal((await send(newAddress(), '/api/jobs', aJob, authorization)).status, 201);
  });

  test('the rate limit has a fixed window of 60 s from its first request (§8.1)', async () => {
    const address = newAddress();
    const sendJob = async () => (await sendJobs(service, 1, address))[0];
    assert.equal(await sendJob(), 201);
    await service.clock.advance(30_000);
    await sendJobs(service, 59, address);
    assert.equal(await sendJob(), 429);
    await service.clock.advance(29_999);
    assert.equal(await sendJob(), 429);
    await service.clock.advance(1);
    const statuses = await sendJobs(service, 60, address);
    assert.ok(!statuses.includes(429), 'no sliding window');
  });

  test('of many simultaneous calls exactly 60 are accepted', async () => {
    const address = newAddress();
    const calls = Array.from({ length: 75 }, () => send(address, '/api/jobs', aJob));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 60);
    assert.equal(statuses.filter((status) => status === 429).length, 15);
  });
});

test('API_RATE_LIMIT=0 removes the limit and its headers', async () => {
  await using service = await startService(openSqliteTestStore, {
    sends: false,
    env: { API_RATE_LIMIT: '0' },
  });
  assert.deepEqual(new Set(await sendJobs(service, 65)), new Set([201]));
  const { headers } = await service.post('/api/jobs', {});
  for (const name of headers.keys()) assert.doesNotMatch(name, /ratelimit|retry-after/);
});

test('the API counts calls together with other nodes on one Postgres', async () => {
  const env = { API_RATE_LIMIT: '2' };
  await using service = await startService(openPostgresTestStore, { sends: false, env });
  const { sharedRates } = await service.store.openAnother({ serving: true });
  const other = createSharedRateLimiter(2, sharedRates ?? assert.fail());
  const hit = () => other.hit('127.0.0.1', service.clock.now());
  await hit();
  assert.deepEqual(await sendJobs(service, 2), [201, 429]);
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

test('the API refuses crons, queues and payloads beyond the bounds of a team (§8.3)', async () => {
  const env = {
    MAX_CRONS_PER_TEAM: '1',
    MAX_QUEUES_PER_TEAM: '1',
    MAX_WAITING_PAYLOAD_MB: '1',
    API_RATE_LIMIT: '1000',
  };
  await using service = await startService(openSqliteTestStore, { env, sends: false });
  await expectCreated(service, '/api/crons', aCron);
  const cron = await service.post('/api/crons', aCron);
  const noCron = 'The team cannot have more crons: the limit is 1.';
  assert.equal(cron.status, 422);
  assert.deepEqual(cron.json, { message: noCron, errors: { name: [noCron] } });

  await expectCreated(service, '/api/jobs', { ...aJob, queue: 'first' });
  const queue = await service.post('/api/jobs', { ...aJob, queue: 'second' });
  const noQueue = 'The team cannot have more queues: the limit is 1.';
  assert.equal(queue.status, 422);
  assert.deepEqual(queue.json, { message: noQueue, errors: { queue: [noQueue] } });

  const large = { ...aJob, queue: 'first', delay: 3600, payload: { text: 'x'.repeat(400_000) } };
  for (let n = 0; n < 2; n++) await expectCreated(service, '/api/jobs', large);
  const payload = await service.post('/api/jobs', large);
  assert.equal(payload.status, 503);
  assert.equal(payload.headers.get('retry-after'), '60');
  assert.equal(payload.headers.get('x-ratelimit-remaining'), '993', 'what is refused counts');
  assert.deepEqual(payload.json, {
    message: "The payloads of the team's waiting jobs have reached the limit of 1 MiB.",
  });
  await expectCreated(service, '/api/jobs', { ...aJob, queue: 'first', payload: undefined });
  const { crons, queues, jobs } = await countStored(service.store);
  assert.deepEqual({ crons, queues, jobs }, { crons: 1, queues: 1, jobs: 4 });
});

test('teams begin with the first of PLANS, and a plan that it no longer has counts as that', () => {
  for (const [PLANS, ofFirstTeam, ofNewTeam, limitOfOthers] of [
    [undefined, 'unlimited', 'free', 1000],
    ['small=3,large=unlimited', 'small', 'small', 3],
  ] as const) {
    const config = readConfig(PLANS === undefined ? {} : { PLANS }, '/');
    assert.ok(!('errors' in config));
    const plans = createPlans(config);
    assert.deepEqual([plans.ofFirstTeam, plans.ofNewTeam], [ofFirstTeam, ofNewTeam]);
    assert.equal(plans.limitOf('one of an earlier PLANS'), limitOfOthers);
  }
});
