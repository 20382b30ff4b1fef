import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { before } from '#testing/hooks';
import type { TestUser } from '#testing/dashboard';
import { findBarriers } from '#testing/axe';
import { A_JOB, aCron } from '#testing/factories';
import { fillJobs } from '#testing/fill';
import { heading, openAdvanced, press, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** What stands on a page stays there while the service is away, away from its database, or has ended the session. */

let user: TestUser;

const { dashboard, open: openPage } = usePages({}, { sends: false });
before(async () => {
  user = await dashboard.user('ada@bells.test');
});

const open = (path: string) => openPage(path, user);

const createJob = (path: string) =>
  dashboard.service.work.createJob(user.teamId, {
    ...A_JOB,
    url: `http://target.example${path}`,
    delaySeconds: 3600,
  });

/** Coming back to a tab refreshes it at once. */
const refresh = (page: Page) =>
  page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
/** In the page: the code of all pages has been fetched. */
const HAS_ALL_CODE = `(() => {
  const fetched = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
  return Object.values(__reactRouterManifest.routes).every(({ module }) => fetched.includes(module));
})()`;
const bar = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text });
const mark = (page: Page, text: string | RegExp) => page.locator('main').getByText(text);

describe('a page that renews itself', () => {
  test('a live page stays while the service is away or the session has ended, and continues after that', async () => {
    await createJob('/first');
    await using watched = await open('/jobs');
    const { page, context } = watched;
    await mark(page, /^Live$/).waitFor();
    await page.getByRole('searchbox', { name: 'Search', exact: true }).focus();
    await using absence = await dashboard.goAway();
    await refresh(page);
    await bar(page, /No connection since \d\d:\d\d, trying again/).waitFor();
    await mark(page, 'No connection').waitFor();
    await page.getByText('/first').first().waitFor();
    await heading(page, 'Jobs');
    const focused = 'document.activeElement?.getAttribute("name")';
    assert.equal(await page.evaluate(focused), 'q', 'focus stays where it was');
    assert.deepEqual(await findBarriers(page), []);
    await absence.end();
    // The pointer does not hold a page.
    await page.getByRole('table', { name: 'Jobs' }).first().hover();
    await createJob('/second');
    // Jobs to come are listed by time, so a later one comes in below and moves nothing.
    await page.getByText('/second').first().waitFor();
    await mark(page, /^Live$/).waitFor();
    assert.equal(await bar(page, 'No connection').count(), 0);

    const cookies = await context.cookies();
    await context.clearCookies();
    await refresh(page);
    await bar(page, 'You are signed out. Nothing on this page is lost.').waitFor();
    await page.getByText('/second').first().waitFor();
    const link = page.getByRole('link', { name: 'Sign in in another tab' });
    assert.equal(await link.getAttribute('href'), '/login?next=%2Fjobs');
    await context.addCookies(cookies);
    await bar(page, 'You are signed out').waitFor({ state: 'detached' });
  });

  test('a live page keeps its rows while jobs arrive, and shows the newest on request', async () => {
    const busy = await dashboard.newTeam();
    const { id } = await dashboard.service.work.setQueue(busy.teamId, 'mail', {});
    const begun = Date.now() - 600_000;
    let made = 0;
    const complete = (count: number) =>
      fillJobs(
        dashboard.service.store,
        Array.from({ length: count }, () => {
          const url = `http://target.example/${(made += 1)}`;
          const completed_at = begun + made * 1000;
          return { team_id: busy.teamId, queue_id: id, status: 'success', url, completed_at };
        }),
      );
    await complete(60);
    await using watched = await openPage('/jobs?tab=completed', busy);
    const { page } = watched;
    const readPaths = () => page.locator('tbody td[data-main]').allTextContents();
    const opened = await readPaths();
    assert.equal(opened.length, 50);
    await complete(60);
    await refresh(page);
    await page.getByRole('button', { name: '50+ new', exact: true }).waitFor();
    assert.deepEqual(await readPaths(), opened);
    await page.getByText('The last 50 rows are no longer updated.').waitFor();
    await complete(1);
    await press(page, '50+ new');
    await page.getByRole('button', { name: '50+ new' }).waitFor({ state: 'detached' });
    const [newest = '', ...others] = await readPaths();
    assert.match(newest, /\/121/, 'a fresh page, not that of the last refresh');
    assert.equal(others.length, 49);
    watched.assertNoFaults();
  });

  test('ticked rows stay ticked when new rows are shown, and the result of a bulk action stays until it is dismissed', async () => {
    const { teamId, ...ticking } = await dashboard.newTeam();
    const { store } = dashboard.service;
    await aCron(store, teamId, { name: 'Ticked', nextRunAt: null });
    await using watched = await openPage('/crons', { teamId, ...ticking });
    const { page } = watched;
    await aCron(store, teamId, { name: 'A new one' });
    await refresh(page);
    await page.getByRole('button', { name: '1 new', exact: true }).waitFor();
    await page.getByRole('row', { name: 'Ticked' }).getByRole('checkbox').check();
    await press(page, '1 new');
    await page.getByRole('link', { name: 'A new one', exact: true }).waitFor();
    assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 1);
    await press(page, 'Pause (1)');
    await page.getByText('it was paused already').waitFor();
    // The result is shown before the list that is read after it, which has no row ticked.
    await page.locator('[data-pauses-refresh]').waitFor({ state: 'detached' });
    await aCron(store, teamId, { name: 'Another' });
    await refresh(page);
    await page.getByText('1 new').waitFor();
    await page.getByText('it was paused already').waitFor();
    await page.getByRole('link', { name: 'Dismiss' }).click();
    await page.getByText('it was paused already').waitFor({ state: 'detached' });
    watched.assertNoFaults();
  });

  test("an action's message is shown in its own tab only, until it is closed or another page opens", async () => {
    const tabs = await dashboard.newTeam();
    await aCron(dashboard.service.store, tabs.teamId, { name: 'Told' });
    await using watched = await openPage('/crons', tabs);
    const { page, context } = watched;
    const other = await context.newPage();
    await other.goto(`${dashboard.url}/crons`);
    await mark(other, /^Live$/).waitFor();
    const { promise: refreshed, resolve: release } = Promise.withResolvers<void>();
    const isPage = (url: URL) => url.pathname === '/crons.data';
    await page.route(isPage, async (route) => {
      if (route.request().method() === 'GET') await refreshed;
      await route.continue();
    });
    const runNow = async () => {
      await page.getByRole('button', { name: 'More actions: Told' }).click();
      await press(page, 'Run now');
    };
    const sent = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await runNow();
    await sent;
    await aCron(dashboard.service.store, tabs.teamId, { name: 'Later' });
    await refresh(other);
    await other.getByText('1 new').waitFor();
    release();
    await page.getByText('One run has started').waitFor();
    assert.equal(await other.getByText('One run has started').count(), 0);
    const close = page.getByRole('button', { name: 'Close message' });
    await close.click();
    await close.waitFor({ state: 'detached' });
    await runNow();
    await close.waitFor();
    await page.getByRole('link', { name: 'Queues' }).first().click();
    await close.waitFor({ state: 'detached' });
    watched.assertNoFaults();
  });
});

test('a page requested during an outage of the service or its database opens once that is back', async () => {
  await using watched = await open('/jobs');
  const { page } = watched;
  const go = (name: string) => page.getByRole('link', { name, exact: true }).click();
  await eventually(() => page.evaluate<boolean>(HAS_ALL_CODE));
  {
    await using absence = await dashboard.goAway();
    await go('Queues');
    await bar(page, 'No connection since').waitFor();
    await heading(page, 'Jobs');
    await absence.end();
    await heading(page, 'Queues');
  }
  {
    await using absence = await dashboard.goAway();
    await refresh(page);
    await bar(page, 'No connection since').waitFor();
    await go('Jobs');
    await bar(page, 'The other page waits. It opens as soon as it can.').waitFor();
    await heading(page, 'Queues');
    await absence.end();
    await heading(page, 'Jobs');
  }
  const reads = (url: URL) => url.pathname === '/queues.data';
  await page.route(reads, (route) => route.fulfill({ status: 503, body: 'Away' }));
  await go('Queues');
  await bar(page, 'Belfry cannot answer since').waitFor();
  await heading(page, 'Jobs');
  await page.unroute(reads);
  await heading(page, 'Queues');
});

test('a form that could not be sent stays filled, whether the service, its database or the session was away', async () => {
  await using watched = await open('/crons/new');
  const { page, context } = watched;
  await page.getByLabel('Name', { exact: true }).fill('Nightly sync');
  await page.getByLabel('URL', { exact: true }).fill('https://api.example.com/sync');
  await page.getByLabel('Cron expression').fill('0 3 * * *');
  await openAdvanced(page);
  await page.getByRole('button', { name: 'Add assertion' }).click();
  await page.getByLabel('Assertion 1, expected').fill('true');
  await page.getByLabel('Assertion 1, JSON path').fill('ok');
  const send = async (then: string) => {
    await press(page, 'Create cron');
    await bar(page, then).waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Nightly sync');
    assert.equal(await page.getByLabel('Cron expression').inputValue(), '0 3 * * *');
    assert.equal(await page.getByLabel('Assertion 1, expected').inputValue(), 'true');
  };
  {
    await using absence = await dashboard.goAway();
    await send('Belfry did not answer. Your input is still here.');
    await send('Nothing was sent');
    await absence.end();
    await bar(page, 'No connection since').waitFor({ state: 'detached' });
  }
  const posts = (url: URL) => url.pathname === '/crons/new.data';
  await page.route(posts, (route) => route.fulfill({ status: 503, body: 'Away\nTry again.' }));
  await send('Belfry cannot answer since');
  await page.unroute(posts);
  await bar(page, 'Belfry cannot answer since').waitFor({ state: 'detached' });
  const cookies = await context.cookies();
  await context.clearCookies();
  await send('You are signed out');
  await context.addCookies(cookies);
  await page.getByRole('link', { name: 'Sign in in another tab' }).waitFor({ state: 'detached' });
  await press(page, 'Create cron');
  await heading(page, 'Nightly sync');
  assert.equal(await bar(page, 'Your input').count(), 0);
});

test('a row keeps its list and filter if its action is sent while the service is away', async () => {
  await aCron(dashboard.service.store, user.teamId, { name: 'Rowed' });
  await using watched = await open('/crons?q=Rowed');
  const { page } = watched;
  const runNow = async () => {
    await page.getByRole('button', { name: 'More actions: Rowed' }).click();
    await press(page.locator('[popover]:popover-open'), 'Run now');
  };
  await eventually(() => page.evaluate<boolean>(HAS_ALL_CODE));
  await using absence = await dashboard.goAway();
  await runNow();
  await bar(page, 'It is unknown whether that was done.').waitFor();
  await page.getByRole('link', { name: 'Rowed', exact: true }).waitFor();
  assert.equal(new URL(page.url()).search, '?q=Rowed');
  await absence.end();
  await bar(page, 'No connection since').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await runNow();
  await page.getByText('One run has started').waitFor();
  assert.equal(await bar(page, 'It is unknown').count(), 0);
});
