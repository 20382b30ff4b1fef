import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, startDashboard } from '#testing/dashboard';
import { fillJobs } from '#testing/fill';
import { assertClean, heading, usePages } from '#testing/pages';

/** Common tasks, in as few presses of a key or a button as possible: each click or press of Enter is one step. */

const { browser, dashboard, open } = usePages();

/** A team with failed jobs in a queue, whose target works again. */
async function failJobs(queue: string, payloads: (string | null)[]) {
  const user = await dashboard.newTeam();
  const { work, store } = dashboard.service;
  const { id: queue_id } = await work.setQueue(user.teamId, queue, {});
  const ids = await fillJobs(
    store,
    payloads.map((payload) => ({
      team_id: user.teamId,
      queue_id,
      url: `${dashboard.url}/echo`,
      payload,
      status: 'dead_lettered',
      started_at: Date.now() - 60_000,
      completed_at: Date.now() - 59_000,
      response_status: 500,
      reason: 'http_server_error',
      error_message: 'HTTP 500 error',
    })),
  );
  return { user, ids };
}

test('on call: from the overview to the failure, its cause and a resend in four steps', async () => {
  const { user, ids } = await failJobs('mail', [null]);
  await using watched = await open('/', user);
  const { page } = watched;
  await page.getByRole('link', { name: 'Retry or delete' }).click();
  await heading(page, 'Failures');
  await page.locator('main table').getByRole('link', { name: '1', exact: true }).click();
  await heading(page, 'Jobs');
  await page.locator(`main table a[href="/jobs/${ids[0]}"]`).first().click();
  await page.getByText('The target answered 500').first().waitFor();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByText('1 succeeded').waitFor();
  await assertClean(watched);
});

test('on call: one customer’s 26 of 130 failed jobs are found, explained and resent in few steps', async () => {
  const customers = Array.from({ length: 130 }, (_, n) => (n % 5 === 0 ? 'Acme' : 'Other'));
  const { user, ids } = await failJobs(
    'payments',
    customers.map((customer, n) => JSON.stringify({ customer, order: `order-${n}` })),
  );
  await using watched = await open('/', user);
  const { page } = watched;
  // The first page has the error, its start and its number; the next one the cause and the customers.
  const row = page.getByRole('listitem').filter({ hasText: 'payments' });
  await row.getByText('130 of 130').waitFor();
  await row.getByText('since').waitFor();
  await row.getByRole('link', { name: 'HTTP 500 error' }).click();
  await page.getByText('Check the target').first().waitFor();
  await page
    .getByText(/"(Acme|Other)"/)
    .first()
    .waitFor();

  await page.getByRole('link', { name: 'See its failed jobs' }).click();
  await heading(page, 'Jobs');
  await page.locator('main').getByRole('searchbox', { name: 'Search' }).fill('Acme');
  await page.getByRole('button', { name: 'Retry 26 jobs' }).first().click();
  const dialog = page.getByRole('dialog').filter({ visible: true });
  await dialog.getByRole('button', { name: 'Retry 26 jobs' }).click();
  await page.getByText('26 succeeded').waitFor();

  for (const words of [ids[7]?.slice(-8) ?? '', new URL(dashboard.url).host, 'order-7"']) {
    const search = page.getByRole('banner').getByRole('searchbox');
    await search.fill(words);
    await search.press('Enter');
    await page.locator('main table a[href^="/jobs/"]').first().waitFor();
    assert.match(decodeURIComponent(page.url()), /[?&]q=/);
    if (words !== new URL(dashboard.url).host)
      await page.locator(`main table a[href="/jobs/${ids[7]}"]`).first().waitFor();
  }
  await assertClean(watched);
});

test('first time: from the first page to the first delivered job by keys alone, in two steps', async () => {
  // Behind a proxy the form asks for the setup code too.
  await using empty = await startDashboard({ TRUSTED_PROXIES: '0' });
  await using watched = await browser.newPage({});
  const { page } = watched;
  await page.goto(empty.url);
  await heading(page, 'Set up Belfry');
  await page.waitForLoadState('networkidle');
  let tabs = 0;
  /** Presses Tab until the field or button with this name has the focus. */
  const tabTo = async (name: string) => {
    const wanted = page
      .locator(':focus')
      .and(page.getByLabel(name).or(page.getByRole('button', { name })));
    for (let pressed = 0; (await wanted.count()) === 0; pressed++) {
      assert.ok(pressed < 40, `${name} is not reached by Tab`);
      await page.keyboard.press('Tab');
      tabs++;
    }
  };
  const typed: [string, string][] = [
    ['Name', 'Ada'],
    ['Email', 'ada@bells.test'],
    ['Password', PASSWORD],
    ['Team', 'Bells'],
  ];
  for (const [label, text] of typed) {
    await tabTo(label);
    await page.keyboard.type(text);
  }
  await page.keyboard.press('Enter');
  await heading(page, 'Overview');
  await page.waitForLoadState('networkidle');
  await tabTo('Send sample job');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/jobs\/[\da-f-]{36}$/);
  await page.getByText('HTTP 200').first().waitFor();
  // The button that shows the password is a stop, and the navigation, with a link a page, comes before the page.
  assert.ok(tabs <= 26, `${tabs} presses of Tab lead there`);
  await assertClean(watched);
});
