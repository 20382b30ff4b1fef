import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { startBrowser, type TestBrowser } from '#testing/browser';
import { startDashboard, type TestDashboard, type TestUser } from '#testing/dashboard';
import { assertClean } from '#testing/pages';
import { eventually } from '#testing/process';
import { startReceiver, type Receiver } from '#testing/receiver';

/** Every page about work, with nothing on it and with something: in both themes, on a desk and on a phone. */

let browser: TestBrowser;
let dashboard: TestDashboard;
let target: Receiver;

before(async () => {
  [browser, dashboard, target] = await Promise.all([
    startBrowser(),
    startDashboard(),
    startReceiver(),
  ]);
});
after(async () => {
  await browser.close();
  await dashboard[Symbol.asyncDispose]();
  await target.close();
});

const looks: [string, BrowserContextOptions][] = [
  ['light, on a phone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ['dark, on a desk', { colorScheme: 'dark', viewport: { width: 1366, height: 860 } }],
];

/** Loads each page; nothing on it keeps people out, goes wrong, or is wider than the window. */
async function walk(
  user: TestUser,
  options: BrowserContextOptions,
  paths: readonly string[],
  look: (page: Awaited<ReturnType<TestBrowser['newPage']>>['page'], path: string) => Promise<void>,
): Promise<void> {
  await using watched = await browser.newPage(options);
  await (await dashboard.signIn(user)).lendTo(watched.context);
  const { page } = watched;
  for (const path of paths) {
    const answer = await page.goto(`${dashboard.url}${path}`);
    assert.equal(answer?.status(), 200, path);
    await look(page, path);
    await assertClean(watched);
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    assert.equal(isWide, false, `${path} is wider than the window`);
  }
}

const emptyLists: Record<string, string> = {
  '/crons': 'No crons yet',
  '/queues': 'No queues yet',
  '/jobs': 'No jobs yet',
  '/failures': 'No failed job waits for a hand',
  '/alerts': 'No alerts',
  '/maintenance': 'No maintenance windows yet',
};

describe('a list with nothing in it yet', () => {
  for (const [name, options] of looks) {
    test(`says what it is for, with one example and one button, ${name}`, async () => {
      const team = `New ${name}`;
      const user = await dashboard.user(`new${options.colorScheme}@bells.test`, { team });
      await walk(user, options, Object.keys(emptyLists), async (page, path) => {
        const title = page.getByRole('heading', { name: emptyLists[path] ?? '', exact: true });
        const empty = page.locator('section').filter({ has: title });
        assert.equal(await empty.locator('p').count(), 1, path);
        assert.equal(await empty.locator('pre').count(), 1, path);
        assert.equal(await empty.getByRole('link').count(), 1, path);
        assert.equal(await page.getByRole('table').count(), 0, path);
      });
    });
  }
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
  await create('/later', 3600);
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
  return [
    ['/', '/failures', '/alerts', '/maintenance', '/maintenance/new'],
    ['/crons', '/crons/new', cronPage, `${cronPage}/edit`, `/executions/${run?.id}`],
    ['/queues', '/queues/new', queuePage, `${queuePage}/edit`],
    [`${queuePage}?range=week`, '/runs?from=2026-01-01&to=2200-01-01'],
    ['/jobs', '/jobs?tab=pending', '/jobs?tab=failed', '/jobs/new', '/jobs/progress'],
    [`/jobs/${failed.jobId}`, `/jobs/${done.jobId}`, `/jobs/new?from=${done.jobId}`],
  ].flat();
}

describe('a page with work on it', () => {
  for (const [name, options] of looks) {
    test(`keeps nobody out and fits the window, ${name}`, async () => {
      const team = `Busy ${name}`;
      const user = await dashboard.user(`busy${options.colorScheme}@bells.test`, { team });
      const paths = await makeWork(user);
      await walk(user, options, paths, async (page) => {
        await page.getByRole('heading', { level: 1 }).waitFor();
      });
    });
  }
});
