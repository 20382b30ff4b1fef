import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { before } from '#testing/hooks';
import { findBarriers } from '#testing/axe';
import type { WatchedPage } from '#testing/browser';
import type { TestUser } from '#testing/dashboard';
import { assertNoFaults, heading, openPage, usePages } from '#testing/pages';
import { eventually } from '#testing/process';
import { TEST_APP_KEY } from '#testing/stores';
import { createStopUrls } from '#people/channel-addresses';

/** Every page, those about work with nothing on it and with something: in both themes, on a desk and on a phone. */

const { browser, dashboard, target } = usePages();

interface Look {
  colorScheme: 'light' | 'dark';
  viewport: { width: number; height: number };
}

const phone: Look = { colorScheme: 'light', viewport: { width: 390, height: 844 } };
const desk: Look = { colorScheme: 'dark', viewport: { width: 1366, height: 860 } };

/** In the page: lines of code that a button lies upon. */
const FIND_COVERED = `[...document.querySelectorAll('main pre')].flatMap((code) => {
  const button = code.parentElement.querySelector(':scope > button')?.getBoundingClientRect();
  if (!button) return [];
  const text = document.createRange();
  text.selectNodeContents(code);
  return [...text.getClientRects()]
    .filter((line) => line.right > button.left && line.top < button.bottom && line.bottom > button.top)
    .map(() => code.getAttribute('aria-label'));
})`;

async function changeTo(page: Page, { colorScheme, viewport }: Look): Promise<void> {
  const ground = 'getComputedStyle(document.body).backgroundColor';
  const before = await page.evaluate(ground);
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  const painted = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
  await page.evaluate(painted);
  assert.notEqual(await page.evaluate(ground), before, 'the theme follows the system');
}

/** Nothing keeps people out, goes wrong, is wider than the window or lies upon what it copies. */
async function assertFits(watched: WatchedPage, where: string): Promise<void> {
  assert.deepEqual(await findBarriers(watched.page), [], where);
  assertNoFaults(watched);
  const isWide = await watched.page.evaluate('document.documentElement.scrollWidth > innerWidth');
  assert.equal(isWide, false, `${where} is wider than the window`);
  assert.deepEqual(await watched.page.evaluate(FIND_COVERED), [], where);
}

/** Loads each page, every other one on a phone, and looks at it there and on a desk. */
async function walk(
  user: TestUser | null,
  paths: readonly string[],
  look: (page: Page, path: string) => Promise<void>,
): Promise<void> {
  await using watched = await browser.newPage({ ...phone });
  if (user) await (await dashboard.signIn(user)).lendTo(watched.context);
  const { page } = watched;
  for (const [n, path] of paths.entries()) {
    const answer = await page.goto(`${dashboard.url}${path}`);
    assert.equal(answer?.status(), 200, path);
    await look(page, path);
    await assertFits(watched, path);
    const other = n % 2 === 0 ? desk : phone;
    await changeTo(page, other);
    await assertFits(watched, `${path} (${other.colorScheme})`);
  }
}

const emptyLists: Record<string, string> = {
  '/crons': 'No crons yet',
  '/queues': 'No queues yet',
  '/jobs': 'No jobs yet',
  '/runs': 'Nothing has been sent yet',
  '/failures': 'No failed jobs',
  '/alerts': 'No alerts',
  '/maintenance': 'No maintenance windows yet',
};

test('an empty list explains itself with one example and one button', async () => {
  const user = await dashboard.user('new@bells.test', { team: 'New' });
  await walk(user, Object.keys(emptyLists), async (page, path) => {
    const title = page.getByRole('heading', { name: emptyLists[path] ?? '', exact: true });
    const empty = page.locator('section').filter({ has: title });
    assert.equal(await empty.locator('p').count(), 1, path);
    assert.equal(await empty.locator('pre').count(), 1, path);
    assert.equal(await empty.getByRole('link').count(), 1, path);
    assert.equal(await page.getByRole('table').count(), 0, path);
  });
});

/** A cron and jobs that failed and succeeded. */
async function makeWork(user: TestUser) {
  const { work } = dashboard.service;
  target.answer('/down', { status: 503, body: '{"error":"down"}' });
  const queue = await work.setQueue(user.teamId, 'mail', { retrySchedule: [], emailAlerts: true });
  const request = { method: 'POST', headers: [], callbackUrl: null } as const;
  const cron = await work.createCron(user.teamId, {
    ...request,
    name: 'Close the month of every customer in the northern region',
    url: `${target.url}/down?customer=northwind&since=2026-11-20T00:00:00Z&include=orders,returns`,
    cronExpression: '0 6 29 2 *',
    payload: '{"n":1.0}',
    timeoutSeconds: 20,
    alertThreshold: 1,
    isActive: true,
  });
  const run = await work.runCronNow(user.teamId, cron.id);
  const job = { ...request, queue: 'mail', payloadJson: '{"order":{"id":1,"items":[1,2,3]}}' };
  const create = (path: string, delaySeconds: number) =>
    work.createJob(user.teamId, { ...job, url: `${target.url}${path}`, delaySeconds });
  const failed = await create('/down', 0);
  const done = await create('/fine', 0);
  const later = await create('/later', 3600);
  const ends = [
    async () => (await work.listExecutions(user.teamId, cron.id, 1))[0]?.completedAt,
    ...[failed, done].map(({ jobId }) => async () => {
      const found = await work.findJob(user.teamId, jobId);
      return found?.completedAt;
    }),
  ];
  await Promise.all(ends.map((hasEnded) => eventually(hasEnded)));
  await work.startMaintenanceNow(user.teamId, [{ kind: 'queue', id: queue.id }]);
  const cronPage = `/crons/${cron.id}`;
  const queuePage = `/queues/${queue.id}`;
  return {
    'at a glance': ['/', '/failures', '/alerts', '/maintenance', '/maintenance/new'],
    crons: ['/crons', '/crons/new', cronPage, `${cronPage}/edit`, `/executions/${run?.id}`],
    queues: ['/queues', '/queues/new', queuePage, `${queuePage}/edit`],
    runs: [`${queuePage}?range=week`, '/runs?from=2026-01-01'],
    jobs: ['/jobs', '/jobs?tab=pending', '/jobs?tab=failed', '/jobs/new', '/jobs/progress'],
    'one job': [
      ...[failed, done, later].map(({ jobId }) => `/jobs/${jobId}`),
      `/jobs/new?from=${done.jobId}`,
      `/jobs/${later.jobId}/edit`,
    ],
  };
}

const hasHeading = (page: Page) => page.getByRole('heading', { level: 1 }).waitFor();

describe('accessibility and width of every page', () => {
  describe('pages with data are accessible and fit every width', () => {
    let user: TestUser;
    let paths: Awaited<ReturnType<typeof makeWork>>;
    before(async () => {
      user = await dashboard.user('busy@bells.test', { team: 'Busy' });
      paths = await makeWork(user);
    });
    for (const kind of ['at a glance', 'crons', 'queues', 'runs', 'jobs', 'one job'] as const) {
      test(kind, () => walk(user, paths[kind], hasHeading));
    }
  });

  test('settings pages are accessible and fit every width', async () => {
    const pages = [
      'profile',
      'api-token',
      'team',
      'members',
      'service-accounts',
      'signing',
      'notifications',
      'notifications/new',
      'notifications/default',
      'billing',
      'activity',
    ];
    const user = await dashboard.user('owner@bells.test', { team: 'Settings' });
    await walk(user, [...pages.map((page) => `/settings/${page}`), '/teams/new'], hasHeading);
  });

  test('signed-out pages are accessible and fit every width', async () => {
    const links = [
      'invitations',
      'reset-password',
      'confirm-email',
      'stop-email-change',
      'confirm-address',
      'stop-alerts',
    ];
    const paths = ['/login', '/forgot-password', ...links.map((link) => `/${link}/gone`)];
    await walk(null, paths, hasHeading);
  });

  test('pages for recipients of alerts are accessible and fit every width', async () => {
    const owner = await dashboard.user('alerting@bells.test', { team: 'Alerting' });
    const { work } = dashboard.service;
    await work.setChannel(owner.teamId, { kind: 'email-addresses', addresses: ['ops@ops.test'] });
    const mail = await eventually(() =>
      dashboard.events.find(({ event }) => event === 'mail.written-to-log'),
    );
    const [address] = (await work.readChannel(owner.teamId)).addresses;
    const urlOf = createStopUrls({ appKey: TEST_APP_KEY, baseUrl: dashboard.url });
    const urls = [String(mail.fields['link']), urlOf(owner.teamId, address?.id ?? '')];
    const titles = ['Confirm your address', 'Stop these mails'];
    await walk(
      null,
      urls.map((url) => new URL(url).pathname),
      (page) => heading(page, titles.shift() ?? ''),
    );
  });

  test('pages that are forbidden or missing are accessible and show the next step', async () => {
    await dashboard.user('boss@bells.test', { team: 'Helped' });
    const member = await dashboard.user('member@bells.test', { team: 'Helped', role: 'member' });
    await using watched = await openPage({ browser, dashboard }, '/settings/billing', {
      user: member,
    });
    const { page } = watched;
    await hasHeading(page);
    assert.match((await page.locator('main').textContent()) ?? '', /owner/);
    assert.deepEqual(await findBarriers(page), []);
    await page.goto(`${dashboard.url}/nothing/here`);
    assert.ok((await page.getByRole('link').count()) > 3, 'the way to the others is open');
    assert.deepEqual(await findBarriers(page), []);
  });
});
