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

const { browser, dashboard, open: openPage } = usePages({}, { sends: false });
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
  test('a live page stays while the service is away and continues when it is back', async () => {
    await createJob('/first');
    await using watched = await open('/jobs');
    const { page } = watched;
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
    // What is to come is listed by its time, so a later one comes in below and moves nothing.
    await page.getByText('/second').first().waitFor();
    await mark(page, /^Live$/).waitFor();
    assert.equal(await bar(page, 'No connection').count(), 0);
  });

  test('a live page keeps its rows while jobs arrive, and shows the newest on request', async () => {
    const busy = await dashboard.user('busy@bells.test', { team: 'Busy' });
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
    for (const [count, waiting] of [
      [30, '30 new'],
      [30, '50+ new'],
    ] as const) {
      await complete(count);
      await refresh(page);
      await page.getByRole('button', { name: waiting, exact: true }).waitFor();
      assert.deepEqual(await readPaths(), opened);
    }
    await page.getByText('The last 50 rows are no longer updated.').waitFor();
    await complete(1);
    await press(page, '50+ new');
    await page.getByRole('button', { name: '50+ new' }).waitFor({ state: 'detached' });
    const [newest = '', ...others] = await readPaths();
    assert.match(newest, /\/121/, 'a fresh page, not that of the last refresh');
    assert.equal(others.length, 49);
    watched.assertNoFaults();
  });

  test('ticked rows stay ticked when new rows are shown', async () => {
    const ticking = await dashboard.newTeam();
    await aCron(dashboard.service.store, ticking.teamId, { name: 'Ticked' });
    await using watched = await openPage('/crons', ticking);
    const { page } = watched;
    for (const name of ['A new one', 'Another new one']) {
      await aCron(dashboard.service.store, ticking.teamId, { name });
      await refresh(page);
      await page.getByRole('button', { name: '1 new', exact: true }).waitFor();
      await page.getByRole('row', { name: 'Ticked' }).getByRole('checkbox').check();
      await press(page, '1 new');
      await page.getByRole('link', { name, exact: true }).waitFor();
      assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 1);
      await page
        .getByRole('row', { name: 'Ticked' })
        .getByRole('checkbox', { checked: true })
        .uncheck();
    }
    watched.assertNoFaults();
  });

  test("a form's message is shown in its own tab only", async () => {
    const tabs = await dashboard.user('tabs@bells.test', { team: 'Tabs' });
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
    const sent = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await page.getByRole('button', { name: 'More actions: Told' }).click();
    await press(page, 'Run now');
    await sent;
    await aCron(dashboard.service.store, tabs.teamId, { name: 'Later' });
    await refresh(other);
    await other.getByText('1 new').waitFor();
    release();
    await page.getByText('One run has started').waitFor();
    assert.equal(await other.getByText('One run has started').count(), 0);
    watched.assertNoFaults();
  });

  test('the result of a bulk action stays until it is dismissed', async () => {
    // No other test adds crons to its list.
    const bulk = await dashboard.newTeam();
    await aCron(dashboard.service.store, bulk.teamId, { name: 'Paused', nextRunAt: null });
    await using watched = await openPage('/crons', bulk);
    const { page } = watched;
    await page.getByLabel('Select all rows of this page').check();
    await press(page, 'Pause (1)');
    await page.getByText('it was paused already').waitFor();
    // The result is shown before the list that is read after it, which has no row ticked.
    await page.locator('[data-pauses-refresh]').waitFor({ state: 'detached' });
    for (const count of [1, 2]) {
      await aCron(dashboard.service.store, bulk.teamId, { name: `A${count}` });
      await refresh(page);
      await page.getByText(`${count} new`).waitFor();
      await page.getByText('it was paused already').waitFor();
    }
    await page.getByRole('link', { name: 'Dismiss' }).click();
    await page.getByText('it was paused already').waitFor({ state: 'detached' });
    watched.assertNoFaults();
  });

  test('the message of each action stays until it is closed or another page opens', async () => {
    const cron = await aCron(dashboard.service.store, user.teamId, { name: 'Stays' });
    // The clock of a page can't be given back.
    await using watched = await browser.newPage();
    await (await dashboard.signIn(user)).lendTo(watched.context);
    const { page } = watched;
    await page.goto(`${dashboard.url}/crons/${cron.id}`);
    await page.clock.install();
    const close = page.getByRole('button', { name: 'Close message' });
    for (let n = 0; n < 2; n++) {
      await press(page, 'Run now');
      await page.getByText('One run has started').waitFor();
      await page.clock.runFor(60_000);
      await close.click();
      await close.waitFor({ state: 'detached' });
    }
    await press(page, 'Pause');
    await close.waitFor();
    await page.getByRole('link', { name: 'Queues' }).first().click();
    await close.waitFor({ state: 'detached' });
    watched.assertNoFaults();
  });

  test('a live page keeps its content when the session ends and links to the sign-in', async () => {
    await createJob('/fifth');
    await using watched = await open('/jobs');
    const { page, context } = watched;
    const cookies = await context.cookies();
    await context.clearCookies();
    await refresh(page);
    await bar(page, 'You are signed out. Nothing on this page is lost.').waitFor();
    await page.getByText('/fifth').first().waitFor();
    const link = page.getByRole('link', { name: 'Sign in in another tab' });
    assert.equal(await link.getAttribute('href'), '/login?next=%2Fjobs');
    await context.addCookies(cookies);
    await bar(page, 'You are signed out').waitFor({ state: 'detached' });
    watched.assertNoFaults();
  });
});

describe('another page', () => {
  test('a page requested while the service is away opens once it is back', async () => {
    await using watched = await open('/jobs');
    const { page } = watched;
    await using absence = await dashboard.goAway();
    await refresh(page);
    await bar(page, 'No connection since').waitFor();
    await page.getByRole('link', { name: 'Queues', exact: true }).click();
    await bar(page, 'The other page waits. It opens as soon as it can.').waitFor();
    await heading(page, 'Jobs');
    await absence.end();
    await heading(page, 'Queues');
  });

  test('a page requested in the first seconds of an outage opens once the service is back', async () => {
    await using watched = await open('/jobs');
    const { page } = watched;
    await eventually(() => page.evaluate<boolean>(HAS_ALL_CODE));
    await using absence = await dashboard.goAway();
    await page.getByRole('link', { name: 'Queues', exact: true }).click();
    await bar(page, 'No connection since').waitFor();
    await heading(page, 'Jobs');
    await absence.end();
    await heading(page, 'Queues');
  });

  test('a page that failed while the database was away loads once it is back', async () => {
    await using watched = await open('/queues');
    const { page } = watched;
    const reads = (url: URL) => url.pathname === '/jobs.data';
    await page.route(reads, (route) => route.fulfill({ status: 503, body: 'Away' }));
    await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await bar(page, 'Belfry cannot answer since').waitFor();
    await heading(page, 'Queues');
    await page.unroute(reads);
    await heading(page, 'Jobs');
  });
});

describe('a form that is sent', () => {
  let forms = 0;
  const fill = async (page: Page) => {
    await page.getByLabel('Name', { exact: true }).fill('Nightly sync');
    await page.getByLabel('URL', { exact: true }).fill(`https://api.example.com/sync/${++forms}`);
    await page.getByLabel('Cron expression').fill('0 3 * * *');
    await openAdvanced(page);
    await page.getByRole('button', { name: 'Add assertion' }).click();
    await page.getByLabel('Assertion 1, expected').fill('true');
    await page.getByLabel('Assertion 1, JSON path').fill('ok');
  };
  const assertFilled = async (page: Page) => {
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Nightly sync');
    assert.equal(await page.getByLabel('Cron expression').inputValue(), '0 3 * * *');
    assert.equal(await page.getByLabel('Assertion 1, expected').inputValue(), 'true');
  };

  test('a form sent while the service is away stays filled and can be sent again', async () => {
    await using watched = await open('/crons/new');
    const { page } = watched;
    await fill(page);
    await using absence = await dashboard.goAway();
    await press(page, 'Create cron');
    await bar(page, 'Belfry did not answer. Your input is still here.').waitFor();
    await assertFilled(page);
    await press(page, 'Create cron');
    await bar(page, 'Nothing was sent').waitFor();
    await assertFilled(page);
    await absence.end();
    await bar(page, 'No connection since').waitFor({ state: 'detached' });
    await assertFilled(page);
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

  test('a form stays filled while the database is away or after the session ended', async () => {
    await using watched = await open('/crons/new');
    const { page, context } = watched;
    await fill(page);
    const posts = (url: URL) => url.pathname === '/crons/new.data';
    await page.route(posts, (route) => route.fulfill({ status: 503, body: 'Away\nTry again.' }));
    await press(page, 'Create cron');
    await bar(page, 'Your input is still here.').waitFor();
    await assertFilled(page);
    await page.unroute(posts);
    await bar(page, 'Belfry cannot answer since').waitFor({ state: 'detached' });
    const cookies = await context.cookies();
    await context.clearCookies();
    await press(page, 'Create cron');
    await bar(page, 'You are signed out').waitFor();
    await assertFilled(page);
    await context.addCookies(cookies);
    await page.getByRole('link', { name: 'Sign in in another tab' }).waitFor({ state: 'detached' });
    await press(page, 'Create cron');
    await heading(page, 'Nightly sync');
  });
});
