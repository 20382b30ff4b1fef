import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser, type WatchedPage } from './browser.ts';
import { startReceiver } from './receiver.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };

test('a page is opened, read and photographed', async () => {
  await using receiver = await startReceiver({ answer: { status: 204 } });
  await using browser = await startBrowser();
  await using watched = await browser.newPage({ viewport: { width: 400, height: 300 } });
  receiver.answer('/', { headers: HTML, body: '<title>Bells</title><h1>Ding</h1>' });
  await watched.page.goto(receiver.url);
  assert.equal(await watched.page.title(), 'Bells');
  assert.equal(await watched.page.getByRole('heading').innerText(), 'Ding');
  const picture = await watched.page.screenshot();
  assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [400, 300]);
  watched.assertNoFaults();
});

test('whatever goes wrong on a page is collected', async () => {
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

/** What a page can tell of those who used it before. */
const LEFT = `({
  cookie: document.cookie,
  local: localStorage.length,
  tab: sessionStorage.length,
  name: window.name,
  history: history.length,
  size: [innerWidth, innerHeight],
  dark: matchMedia('(prefers-color-scheme: dark)').matches,
  print: matchMedia('print').matches,
  mayNotify: Notification.permission,
})`;

test('a page that was used before knows nothing of it', async () => {
  await using receiver = await startReceiver();
  await using browser = await startBrowser();
  receiver.answer('/', { headers: HTML, body: '<title>Bells</title>' });
  const look = async () => {
    const watched = await browser.newPage();
    await watched.page.goto(receiver.url);
    return { watched, left: await watched.page.evaluate(LEFT) };
  };
  const first = await look();
  const { page, context } = first.watched;
  await context.addCookies([{ name: 'a', value: 'b', url: receiver.url }]);
  await context.grantPermissions(['notifications']);
  await page.route('**/*', (route) => route.abort());
  await page.evaluate(`localStorage.a = sessionStorage.a = window.name = 'a'; location.hash = 'a'`);
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  await page.setViewportSize({ width: 300, height: 200 });
  let heard = 0;
  page.on('request', () => heard++);
  context.on('request', () => heard++);
  assert.notDeepEqual(await page.evaluate(LEFT), first.left);
  await first.watched.close();
  const second = await look();
  assert.equal(second.watched.page, page, 'it is used again');
  assert.deepEqual(second.left, first.left);
  assert.equal(heard, 0);
  assert.deepEqual(second.watched.faults, []);
  await using third = await browser.newPage();
  assert.notEqual(third.page, page, 'nobody else has it meanwhile');
  await using phone = await browser.newPage({ viewport: { width: 390, height: 844 } });
  assert.notEqual(phone.page, third.page);
});

test('a page is not used again where something would be left, or a tab is open', async () => {
  await using receiver = await startReceiver();
  await using elsewhere = await startReceiver();
  await using browser = await startBrowser();
  for (const each of [receiver, elsewhere])
    each.answer('/', { headers: HTML, body: '<title>Bells</title>' });
  for (const use of [
    ({ context }: WatchedPage) => context.addInitScript('window.a = 1'),
    ({ page }: WatchedPage) => page.clock.setFixedTime(0),
    ({ page }: WatchedPage) => page.goto(elsewhere.url),
    ({ page }: WatchedPage) => page.evaluate('void open(location.href)'),
  ]) {
    const used = await browser.newPage();
    await used.page.goto(receiver.url);
    await use(used);
    await used.close();
    assert.ok(used.page.isClosed(), String(use));
  }
});
