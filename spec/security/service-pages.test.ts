import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { describe, test } from 'node:test';
import { startDashboard } from '#testing/dashboard';
import { startBelfry } from '#testing/process';

/** What answers without a session: the API, the service's pages and files. */

const ROOT = path.join(import.meta.dirname, '../..');

const askFor = ({ url }: { url: string }, address: string, headers: Record<string, string> = {}) =>
  fetch(`${url}${address}`, { headers });

const start = (env: Record<string, string>) => startDashboard(env, { sends: false });

const everywhere = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/api',
  '/api/jobs',
  '/login',
];

test('every response forbids sniffing, and with https going back to http', async () => {
  await using secure = await startBelfry({ env: { BASE_URL: 'https://belfry.example' } });
  for (const address of [...everywhere, '/bell.svg', '/nothing-here']) {
    const { headers } = await askFor(secure, address);
    assert.equal(headers.get('X-Content-Type-Options'), 'nosniff', address);
    assert.match(headers.get('Strict-Transport-Security') ?? '', /^max-age=\d{7,}$/, address);
  }
});

test('a loopback service sends no HSTS and shows metrics on this machine only', async () => {
  await using belfry = await startBelfry();
  for (const address of everywhere) {
    const { headers } = await askFor(belfry, address);
    assert.equal(headers.get('Strict-Transport-Security'), null, address);
    assert.equal(headers.get('X-Content-Type-Options'), 'nosniff', address);
  }
  assert.equal((await askFor(belfry, '/metrics')).status, 200);
  const passedOn = ['X-Forwarded-For', 'Forwarded', 'Via', 'X-Real-IP', 'X-Forwarded-Proto'];
  for (const name of [...passedOn, 'CF-Connecting-IP']) {
    const answer = await askFor(belfry, '/metrics', { [name]: '198.51.100.1' });
    assert.equal(answer.status, 403, name);
    assert.doesNotMatch(await answer.text(), /belfry_/);
  }
  assert.equal(await statusFor(belfry, '/metrics', 'evil.example'), 403);
  assert.equal(await statusFor(belfry, '/metrics', 'localhost'), 200);
  const folder = path.join(ROOT, 'src/dashboard/public');
  const files = readdirSync(folder);
  assert.ok(files.length > 0);
  for (const file of files) {
    const answer = await askFor(belfry, `/${file}`);
    assert.equal(answer.status, 200, file);
    assert.ok(
      Buffer.from(await answer.arrayBuffer()).equals(readFileSync(path.join(folder, file))),
    );
    assert.doesNotMatch(answer.headers.get('Content-Type') ?? '', /html|octet-stream/);
  }
});

/** The status of an answer to a request with this `Host`, as after DNS rebinding. */
async function statusFor({ url }: { url: string }, path: string, host: string) {
  const { port } = new URL(url);
  const request = http.request({ host: '127.0.0.1', port, path, headers: { Host: host } });
  request.end();
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

describe('metrics of a public service', () => {
  test('metrics without a token are refused if BASE_URL is not loopback', async () => {
    await using secure = await start({ BASE_URL: 'https://belfry.example' });
    assert.equal((await askFor(secure, '/metrics')).status, 403);
  });

  test("metrics are refused with the setting's name until a token is set", async () => {
    await using open = await start({ HOST: '0.0.0.0' });
    const answer = await askFor(open, '/metrics', { Authorization: 'Bearer ' });
    assert.equal(answer.status, 403);
    const text = await answer.text();
    assert.match(text, /Set METRICS_TOKEN/);
    assert.doesNotMatch(text, /belfry_/);
  });

  test('metrics are shown with the right token only', async () => {
    await using guarded = await start({ HOST: '0.0.0.0', METRICS_TOKEN: 's3cret' });
    assert.equal((await askFor(guarded, '/metrics')).status, 401);
    const forwarded = { Authorization: 'Bearer s3cret', 'X-Forwarded-For': '198.51.100.1' };
    assert.equal((await askFor(guarded, '/metrics', forwarded)).status, 200);
  });
});

test('the API limit counts an IPv6 network as one address, and IPv4 in any spelling', async () => {
  await using belfry = await start({ API_RATE_LIMIT: '3' });
  const statusFrom = async (address: string) => {
    const answer = await fetch(`${belfry.url}/api/jobs`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': address, Accept: 'application/json' },
    });
    return answer.status;
  };
  const statuses = [];
  for (const host of ['::1', 'ffff::', ':a:b:c:d', '::2', '::3'])
    statuses.push(await statusFrom(`2001:db8:1:2${host.startsWith('f') ? `:${host}` : host}`));
  assert.deepEqual(statuses, [422, 422, 422, 429, 429]);
  assert.equal(await statusFrom('2001:db8:1:3::1'), 422, 'its neighbour has a count of its own');
  const spelt = [];
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '[::ffff:c000:207]:443', '192.0.2.7:5'])
    spelt.push(await statusFrom(address));
  assert.deepEqual(spelt, [422, 422, 422, 429]);
});
