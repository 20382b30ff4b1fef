import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startBrowser } from '#testing/browser';
import { before, useStarted } from '#testing/hooks';
import { assertClean, heading, press } from '#testing/pages';
import { startPathProxy } from '#testing/path-proxy';
import { eventually, startBelfry } from '#testing/process';
import { makeClient } from '#testing/remote';
import { Visitor } from '#testing/visitor';
import { PASSWORD } from '#testing/users';

const METRICS_TOKEN = 'figures';

/** The path of a page of ours, which must not be taken for it. */
const basePath = '/jobs/belfry';

describe('BASE_URL with a path, behind a proxy that passes it on', () => {
  const proxy = useStarted(() => startPathProxy(basePath));
  const belfry = useStarted(() =>
    startBelfry({ env: { BASE_URL: proxy.url, TRUSTED_PROXIES: '1', METRICS_TOKEN } }),
  );
  let visitor: Visitor;
  let token: string;

  before(async () => {
    proxy.passTo(belfry.url);
    ({ token } = await makeClient(belfry));
    visitor = new Visitor(proxy.url, new URL(proxy.url).origin);
  });

  const postApi = (path: string, body: object, accepted = 'application/json') =>
    fetch(`${proxy.url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: accepted,
      },
      body: JSON.stringify(body),
    });

  test('a signed-out visitor signs in and returns to the page they wanted', async () => {
    const signedOut = new Visitor(proxy.url, new URL(proxy.url).origin);
    const away = await signedOut.get('/crons?status=paused');
    const login = `${basePath}/login?next=${encodeURIComponent('/crons?status=paused')}`;
    assert.deepEqual([away.status, away.headers.get('Location')], [302, login]);
    const data = await signedOut.get('/crons.data?status=paused');
    assert.equal(data.status, 202);
    const form = { email: 'ada@example.com', password: PASSWORD, next: '/crons?status=paused' };
    const back = await signedOut.post('/login', form);
    assert.deepEqual(
      [back.status, back.headers.get('Location')],
      [302, `${basePath}/crons?status=paused`],
    );
  });

  test('cookies are limited to the path', async () => {
    const { setCookies } = await visitor.post('/login', {
      email: 'ada@example.com',
      password: PASSWORD,
    });
    assert.ok(setCookies.length >= 2);
    for (const cookie of setCookies) {
      assert.match(cookie, new RegExp(`; Path=${basePath}(?:;|$)`, 'i'));
    }
  });

  test('every link, form and file of every page is below the path', async () => {
    const cron = { name: 'n', url: 'https://x.test/', cron_expression: '@daily' };
    const { id } = (await (await postApi('/api/crons', cron)).json()) as { id: string };
    await visitor.post('/login', { email: 'ada@example.com', password: PASSWORD });
    const names =
      'crons crons/new queues queues/new jobs jobs/new failures alerts maintenance teams/new ' +
      'settings/profile settings/api-token settings/team settings/members settings/signing ' +
      'settings/notifications settings/billing no-such-page';
    const pages = ['/', `/crons/${id}`, `/crons/${id}/edit`].concat(
      names.split(' ').map((name) => `/${name}`),
    );
    const files = new Set<string>();
    for (const page of pages) {
      const { text, status } = await visitor.get(page);
      assert.equal(status, page === '/no-such-page' ? 404 : 200, page);
      const found = text.matchAll(/ (?:href|action|src|formaction)="([^"]*)"/g);
      const addresses = [...found].map(([, address = '']) => address);
      assert.ok(addresses.length > 5, page);
      for (const address of addresses) {
        assert.match(address, new RegExp(`^(?:#|\\?|https?://|${basePath}(?:$|[/?]))`), page);
        if (/\.(?:js|css|svg)$/.test(address)) files.add(address);
      }
      for (const [file] of text.matchAll(/"[^"]*\/assets\/[^"]*"/g)) {
        assert.ok(file.startsWith(`"${basePath}/assets/`), file);
        files.add(file.slice(1, -1));
      }
    }
    assert.ok(files.size > 20);
    for (const file of files) {
      const answer = await fetch(new URL(file, proxy.url));
      assert.equal(answer.status, 200, file);
      const content = await answer.text();
      assert.doesNotMatch(content, /"\/assets\//, file);
    }
  });

  test('an action redirects to a page below the path, with the path once', async () => {
    await visitor.post('/login', { email: 'ada@example.com', password: PASSWORD });
    const made = await visitor.post('/queues/new', { queue: 'letters' });
    assert.equal(made.status, 302);
    assert.match(made.headers.get('Location') ?? '', new RegExp(`^${basePath}/queues/[^/]+$`));
    const switched = await visitor.post('/theme', { theme: 'light', next: '/jobs?tab=all' });
    assert.equal(switched.headers.get('Location'), `${basePath}/jobs?tab=all`);
    assert.match(String(switched.setCookies[0]), new RegExp(`; Path=${basePath};`));
    const outside = await visitor.post('/theme', { theme: 'light', next: '//evil.test' });
    assert.equal(outside.headers.get('Location'), `${basePath}/`);
  });

  test('the API, its document, health, metrics and the echo answer below the path', async () => {
    const job = await postApi('/api/jobs', { queue: 'q', url: 'https://x.test/', delay: 3600 });
    assert.equal(job.status, 201);
    const redirected = await postApi('/api/jobs', {}, 'text/html');
    assert.equal(redirected.status, 302);
    assert.equal(redirected.headers.get('Location'), `${proxy.url}/`);
    const document = (await (await fetch(`${proxy.url}/openapi.json`)).json()) as {
      servers: unknown;
    };
    assert.deepEqual(document.servers, [{ url: proxy.url }]);
    for (const path of ['/healthz', '/readyz', '/echo']) {
      assert.equal((await fetch(`${proxy.url}${path}`)).status, 200, path);
      assert.equal((await fetch(`${belfry.url}${path}`)).status, 200, path);
    }
    const metrics = await fetch(`${proxy.url}/metrics`, {
      headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
    });
    assert.equal(metrics.status, 200);
  });

  test('links in emails and from the command line have the path', async () => {
    const { json } = await belfry.cli('user', 'reset-password', '--email', 'ada@example.com');
    const { resetUrl } = json as { resetUrl: string };
    assert.ok(resetUrl.startsWith(`${proxy.url}/reset-password/`));
    assert.equal((await fetch(resetUrl)).status, 200);
  });

  test('the dashboard below a path works with scripts', async () => {
    await using browser = await startBrowser();
    await using watched = await browser.newPage();
    const { page } = watched;

    await page.goto(proxy.url);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await press(page, 'Sign in');
    await page.waitForURL(`${proxy.url}/`);

    // By the router, without a new document.
    await page.evaluate('window.isSameDocument = true');
    await page.getByRole('link', { name: 'Queues' }).first().click();
    await heading(page, 'Queues');
    assert.equal(page.url(), `${proxy.url}/queues`);
    await page.getByRole('link', { name: 'Jobs' }).first().click();
    await page.getByRole('link', { name: 'Create job' }).first().click();
    await page.waitForURL(`${proxy.url}/jobs/new**`);
    assert.equal(await page.evaluate('window.isSameDocument'), true);
    await page.goto(`${proxy.url}/queues/new`);
    await page.getByLabel('Name', { exact: true }).fill('mails');
    await press(page.locator('main'), 'Create queue');
    await page.waitForURL(new RegExp(`^${proxy.url}/queues/[0-9a-f-]{36}$`));

    // The search of the top bar, the palette and the time zone's cookie go by addresses of their own.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Page, name/ }).waitFor();
    await page.keyboard.type('mails');
    await page
      .getByRole('option')
      .filter({ hasText: /mails[^]*queue|queue[^]*mails/i })
      .first()
      .click();
    await page.waitForURL(new RegExp(`^${proxy.url}/queues/[0-9a-f-]{36}$`));
    const cookies = await watched.context.cookies();
    assert.ok(cookies.some(({ name }) => name === 'belfry_zone'));
    assert.deepEqual([...new Set(cookies.map(({ path }) => path))], [basePath]);

    // A session that ends elsewhere is noticed, and the way back is below the path.
    await belfry.cli('user', 'sign-out', '--email', 'ada@example.com');
    await page.getByRole('link', { name: 'Crons' }).first().click();
    await eventually(() => page.url().startsWith(`${proxy.url}/login`));
    await assertClean(watched);
  });

  test('no page requested anything outside of the path', () => assert.deepEqual(proxy.strays, []));
});
