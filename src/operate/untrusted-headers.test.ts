import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#domain/base/log';
import { eventually } from '#testing/process';
import { openSqliteTestStore } from '#testing/stores';
import { untrustedForwarding, watchFor } from './untrusted-headers.ts';

const LIST = 'x-forwarded-for';
const ELSEWHERE = { address: '192.0.2.7', path: '/api/jobs' };

/** The header that the watch warns of and stores after one request. */
async function recordOf(
  trustedProxies: number,
  request: Partial<Parameters<ReturnType<typeof watchFor>['look']>[0]>,
): Promise<string | null> {
  await using store = await openSqliteTestStore();
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void warnings.push(event) };
  const tools = { store: store.untrustedHeaders, clock: store.clock, log };
  const watch = watchFor(untrustedForwarding(trustedProxies), tools);
  watch.look({ headers: {}, rawHeaders: [], ...ELSEWHERE, ...request });
  if (warnings.length === 0) return null;
  assert.deepEqual(warnings, ['proxy.not-trusted']);
  const stored = async () => (await store.untrustedHeaders.read())?.header ?? false;
  return await eventually(stored);
}

test('a list with fewer entries than TRUSTED_PROXIES is recorded', async () => {
  assert.equal(await recordOf(2, { headers: { [LIST]: '203.0.113.9' } }), LIST);
  assert.equal(await recordOf(2, { headers: { [LIST]: '203.0.113.9, 192.0.2.1' } }), null);
  assert.equal(await recordOf(1, { headers: { [LIST]: '203.0.113.9' } }), null);
});

test('a request that comes past the trusted proxies is recorded', async () => {
  assert.equal(await recordOf(1, {}), 'none');
  assert.equal(await recordOf(1, { path: '/login?next=/' }), 'none');
  assert.equal(await recordOf(0, {}), null);
});

test('probes and requests of this machine may come without a proxy', async () => {
  assert.equal(await recordOf(1, { path: '/healthz' }), null);
  assert.equal(await recordOf(1, { path: '/metrics?x=1' }), null);
  assert.equal(await recordOf(1, { address: '127.0.0.1' }), null);
  assert.equal(await recordOf(1, { address: '::ffff:127.0.0.1' }), null);
  assert.equal(await recordOf(1, { address: '::1' }), null);
});
