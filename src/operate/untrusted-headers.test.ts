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

test('too short lists and requests past the trusted proxies are recorded, except probes and local ones', async () => {
  for (const [trustedProxies, request, recorded] of [
    [2, { headers: { [LIST]: '203.0.113.9' } }, LIST],
    [2, { headers: { [LIST]: '203.0.113.9, 192.0.2.1' } }, null],
    [1, {}, 'none'],
    [1, { path: '/login?next=/' }, 'none'],
    [0, {}, null],
    [1, { path: '/healthz' }, null],
    [1, { path: '/metrics?x=1' }, null],
    [1, { address: '::ffff:127.0.0.1' }, null],
  ] as const)
    assert.equal(await recordOf(trustedProxies, request), recorded, JSON.stringify(request));
});
