import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from './browser.ts';
import { startReceiver } from './receiver.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };

test('errors of a page are collected', async () => {
  await using receiver = await startReceiver();
  await using browser = await startBrowser();
  await using watched = await browser.newPage();
  receiver.answer('/', {
    headers: { ...HTML, 'content-security-policy': "script-src 'nonce-a'" },
    body: `<link rel="icon" href="data:,"><script>document.title = 'unsafe'</script>
      <script nonce="a">console.error('dong'); setTimeout(() => { throw new Error('cracked') })</script>
      <img src="/gone"><img src="/broken"><img src="http://elsewhere.test/">`,
  });
  receiver.answer('/gone', 'reset');
  receiver.answer('/broken', { status: 500 });
  await watched.page.goto(receiver.url, { waitUntil: 'networkidle' });
  assert.notEqual(await watched.page.title(), 'unsafe');
  const has = (kind: string, text: RegExp) =>
    watched.faults.some((fault) => fault.kind === kind && text.test(fault.text));
  assert.ok(has('csp', /script-src/));
  assert.ok(has('console', /dong/));
  assert.ok(has('error', /cracked/));
  assert.ok(has('request', /\/gone/));
  assert.ok(has('request', /\/broken: 500/));
  assert.ok(
    has('request', /elsewhere\.test\/: net::ERR_NAME_NOT_RESOLVED/),
    'nothing else resolves',
  );
  assert.throws(() => watched.assertNoFaults(), /dong/);
});
