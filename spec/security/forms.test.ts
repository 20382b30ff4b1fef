import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before, useStarted } from '#testing/hooks';
import { readMetric } from '#testing/metrics';
import { startBelfry } from '#testing/process';
import { makeClient, signIn } from '#testing/remote';
import { LONG_WAIT_LIMIT_MS } from '#testing/limits';
import { PASSWORD } from '#testing/users';

/** Forms that are meant to hurt: what anybody on the network, or anybody with a session, can send. */

const KIB = 1024;
const URLENCODED = 'application/x-www-form-urlencoded';
const belfry = useStarted(() => startBelfry({ env: { TRUSTED_PROXIES: '1' } }));
let session = '';
/** Each form comes from an address of its own: how often one may try to sign in is another test's matter. */
let senders = 0;

before(async () => {
  await makeClient(belfry);
  session = (await signIn(belfry)).cookies.headers.cookie ?? '';
});

function send(path: string, body: string | null, type: string | null = URLENCODED, cookie = '') {
  return fetch(`${belfry.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    body: body === null ? null : Buffer.from(body),
    headers: {
      'Sec-Fetch-Site': 'same-origin',
      'X-Forwarded-For': `198.51.100.${++senders}`,
      ...(type !== null && { 'Content-Type': type }),
      ...(cookie && { Cookie: cookie }),
    },
  });
}

/** The team of the session, which each form names. */
async function readTeam(): Promise<string> {
  const page = await fetch(`${belfry.url}/jobs/new`, { headers: { Cookie: session } });
  return /name="for_team" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
}

const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const multipart = 'multipart/form-data; boundary=b';

/** The worst hold-up of the process's one thread since the question before. */
const readWorstLag = () => readMetric(belfry.url, 'belfry_nodejs_eventloop_lag_max_seconds');

test('two megabytes of pairs are rejected at once, with or without a session', async () => {
  const body = 'a&'.repeat(KIB * KIB - 1);
  await readWorstLag();
  const signal = AbortSignal.timeout(LONG_WAIT_LIMIT_MS);
  const health = fetch(`${belfry.url}/healthz`, { signal });
  const anonymous = await send('/login', body);
  assert.equal(anonymous.status, 413);
  assert.match(await anonymous.text(), /64 KiB/);
  assert.equal((await send('/settings/profile', body, URLENCODED, session)).status, 413);
  assert.equal((await health).status, 200);
  // Minutes before there was a door; the bound leaves room for a machine that is busy otherwise.
  assert.ok((await readWorstLag()) < 1);
});

describe('sizes of forms', () => {
  test('a signed-out form has at most 64 KiB and 100 fields', async () => {
    const credentials = `email=ada%40example.com&password=${PASSWORD}`;
    const pad = (length: number) =>
      `${credentials}${`&pad=${'x'.repeat(4_000)}`.repeat(16)}&more=`.padEnd(length, 'x');
    assert.equal((await send('/login', pad(64 * KIB))).status, 302);
    assert.equal((await send('/login', pad(64 * KIB + 1))).status, 413);
    assert.equal((await send('/login', credentials + '&a'.repeat(98))).status, 302);
    assert.equal((await send('/login', credentials + '&a'.repeat(99))).status, 413);
    const answer = await send('/login', pad(64 * KIB + 1));
    assert.match(await answer.text(), /This form is too large.*64 KiB and 100 fields/s);
  });

  test('a signed-in form has at most 256 KiB, or 2 MiB with a payload', async () => {
    const team = `&for_team=${await readTeam()}`;
    const parts = (bytes: number) => `a=${'x'.repeat(4_000)}&`.repeat(90).slice(0, bytes) + team;
    for (const [path, limit] of [
      ['/queues/new', '256 KiB'],
      ['/settings/profile', '256 KiB'],
      ['/jobs/new', null],
      ['/crons/new', null],
    ] as const) {
      const answer = await send(path, parts(300 * KIB), URLENCODED, session);
      assert.equal(answer.status === 413, limit !== null, path);
      if (limit) assert.match(await answer.text(), new RegExp(`may hold ${limit}`));
      assert.notEqual((await send(path, parts(200 * KIB), URLENCODED, session)).status, 413, path);
    }
    const payload = `payload=%22${'x'.repeat(2 * KIB * KIB)}`;
    assert.match(
      await (await send('/jobs/new', payload, URLENCODED, session)).text(),
      /may hold 2 MiB/,
    );
  });

  test('a field has at most 4,096 characters and a name 100 values, with listed exceptions', async () => {
    const team = `for_team=${await readTeam()}`;
    const post = async (fields: string) => {
      const answer = await send('/jobs/new', `${team}&${fields}`, URLENCODED, session);
      return [answer.status, / may hold [\d,]+ \w+/.exec(await answer.text())?.[0] ?? null];
    };
    const refused = (most: string) => [413, ` may hold ${most}`];
    const long = (name: string, length: number) => `${name}=${'x'.repeat(length)}`;
    assert.deepEqual(await post(long('queue', 4_096)), [422, null]);
    assert.deepEqual(await post(long('queue', 4_097)), refused('4,096 characters'));
    assert.deepEqual(await post(long('unknown', 4_097)), refused('4,096 characters'));
    assert.deepEqual(await post(long('headers', 65_536)), [422, null]);
    assert.deepEqual(await post(long('headers', 65_537)), refused('65,536 characters'));
    assert.deepEqual(await post(long('payload', 1_048_576)), [422, null]);
    assert.deepEqual(await post(long('payload', 1_048_577)), refused('1,048,576 characters'));
    assert.deepEqual(await post('url=a&'.repeat(100)), [422, null]);
    assert.deepEqual(await post('url=a&'.repeat(101)), refused('100 values'));
    assert.deepEqual(await post('id=a&'.repeat(2_000)), [422, null]);
  });

  test('a signed-out form for a page that needs a session is rejected', async () => {
    assert.equal((await send('/jobs/new', 'a&'.repeat(KIB * KIB - 1))).status, 401);
  });

  test('a session does not raise the form limits of public pages', async () => {
    assert.equal((await send('/login', 'x'.repeat(65 * KIB), URLENCODED, session)).status, 413);
  });
});

describe('encodings of forms', () => {
  const rename = (body: string | null, type: string | null) =>
    send('/settings/profile', body, type, session);

  test('a form is URL-encoded', async () => {
    const type = `${URLENCODED}; charset=utf-8`;
    const answer = await rename('intent=name&name=Ad%C3%A1', type);
    assert.deepEqual([answer.status, answer.headers.get('Location')], [302, '/settings/profile']);
  });

  test('a form of another type is rejected with the accepted types', async () => {
    for (const type of ['application/json', 'text/plain', multipart, '', null]) {
      const answer = await rename('{"intent":"name","name":"Mallory"}', type);
      assert.equal(answer.status, 415, String(type));
      assert.match(await answer.text(), /URL-encoded/);
    }
    const parts = `${part('intent', 'name')}${part('name', 'Mallory')}--b--\r\n`;
    assert.equal((await rename(parts, multipart)).status, 415);
    const page = await fetch(`${belfry.url}/settings/profile`, { headers: { Cookie: session } });
    assert.doesNotMatch(await page.text(), /Mallory/);
  });

  test('invalid forms never give a 500', () => {
    assert.deepEqual(
      belfry.output.filter((line) => line.includes('dashboard.failed')),
      [],
    );
  });
});
