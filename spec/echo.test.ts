/** `/echo` of the installation itself (§2.12): a target that needs no other machine, and no door to anything else. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startDashboard, type TestDashboard } from '#testing/dashboard';
import { startDnsServer } from '#testing/dns-server';
import { before, useStarted } from '#testing/hooks';
import { type BelfryProcess, eventually, startBelfry } from '#testing/process';
import { type Client, makeClient, postJob, setQueue, showJob, untilEnded } from '#testing/remote';

const env = { PLANS: 'unlimited=unlimited', ALLOWED_NETWORKS: undefined };

async function ended(belfry: BelfryProcess, id: string) {
  await untilEnded(belfry, [id]);
  return showJob(belfry, id);
}

/** The reason why a test run of this URL failed. */
async function reasonOf(dashboard: TestDashboard, url: string) {
  const { teamId } = await dashboard.newTeam();
  const draft = {
    kind: 'queue',
    method: 'GET',
    url,
    headers: [],
    timeoutSeconds: 30,
    assertions: [],
  } as const;
  const run = await dashboard.service.work.testRun(teamId, draft);
  return 'reason' in run ? run.reason : run;
}

describe('the echo', () => {
  const belfry = useStarted(() => startBelfry({ env }));
  let client: Client;
  before(async () => {
    client = await makeClient(belfry);
    await setQueue(belfry, 'emails', '--retries', 'off');
  });

  test('the echo returns the request of a job without secret headers, with no network allowed', async () => {
    const id = await postJob(client, {
      url: `${belfry.url}/echo?n=1`,
      headers: { 'X-Colour': 'teal', Authorization: 'Bearer hush' },
      payload: { hello: 'world' },
    });
    const job = (await ended(belfry, id)) as unknown as Record<string, unknown>;
    assert.deepEqual([job['status'], job['response_status']], ['success', 200]);
    const body = String(job['response_body']);
    const got = JSON.parse(body) as Record<string, unknown> & { headers: [string, string][] };
    assert.deepEqual([got['method'], got['path']], ['POST', '/echo']);
    assert.deepEqual(got['query'], { n: '1' });
    assert.equal(got['body'], '{"hello":"world"}');
    assert.equal(new Map(got.headers).get('X-Colour'), 'teal');
    assert.doesNotMatch(body, /hush/);
  });

  test('the echo answers with the requested status, delay and body', async () => {
    const id = await postJob(client, { url: `${belfry.url}/echo?status=503&body=disk%20full` });
    const job = (await ended(belfry, id)) as unknown as Record<string, unknown>;
    assert.equal(job['error_message'], 'HTTP 503 error');
    assert.equal(job['response_body'], 'disk full');
    const from = performance.now();
    assert.equal((await fetch(`${belfry.url}/echo?delay=0.2&status=204`)).status, 204);
    assert.ok(performance.now() - from >= 190);
    for (const wrong of ['status=99', 'status=1e9', 'delay=-1', 'delay=61', 'delay=x']) {
      assert.equal((await fetch(`${belfry.url}/echo?${wrong}`)).status, 400, wrong);
    }
  });

  test('the echo frees its slot when a client leaves before the delay is over', async () => {
    const gone = new AbortController();
    const late = `${belfry.url}/echo?delay=60`;
    const from = performance.now();
    const callers = Array.from({ length: 100 }, () => fetch(late, { signal: gone.signal }));
    const soon = async () => (await fetch(`${belfry.url}/echo?delay=0.01`)).status;
    await eventually(async () => (await soon()) === 503, { everyMs: 50, what: 'no place left' });
    gone.abort();
    await Promise.allSettled(callers);
    await eventually(async () => (await soon()) === 200, { everyMs: 50, what: 'a free place' });
    assert.ok(performance.now() - from < 60_000, 'before the delays are over');
  });

  test('the echo answers on its exact address only', async () => {
    await using dns = await startDnsServer();
    dns.answer('echo.test', ['127.0.0.1']);
    await using named = await startDashboard({ ALLOWED_NETWORKS: '', DNS_SERVERS: dns.address });
    const { port } = new URL(named.url);
    const refused = [
      `${named.url}/healthz`,
      `${named.url}/echo/`,
      `${named.url}/echoes`,
      `${named.url}/x/../echo`,
      `${named.url}/echo/../metrics`,
      `${named.url}/%65cho`,
      `${named.url}//echo`,
      `https://127.0.0.1:${port}/echo`,
      `${belfry.url}/echo`,
      `http://127.0.0.2:${port}/echo`,
      `http://echo.test:${port}/echo`,
    ];
    for (const url of refused) assert.equal(await reasonOf(named, url), 'blocked_address', url);
  });

  test('the echo has a rate limit and can be switched off', async () => {
    await using off = await startDashboard({ ALLOWED_NETWORKS: '', ECHO: 'off' });
    assert.notEqual((await fetch(`${off.url}/echo`, { redirect: 'manual' })).status, 200);
    assert.equal(await reasonOf(off, `${off.url}/echo`), 'blocked_address');

    // Other tests need an echo that still answers.
    await using limited = await startDashboard();
    const statuses = new Set<number>();
    for (let n = 0; n < 650; n++) {
      const answer = await fetch(`${limited.url}/echo`);
      await answer.arrayBuffer();
      statuses.add(answer.status);
    }
    assert.deepEqual(statuses, new Set([200, 429]));
  });
});
