import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '#testing/browser';
import { PASSWORD, startDashboard } from '#testing/dashboard';
import { fillJobs } from '#testing/fill';
import { assertClean, heading, openPage } from '#testing/pages';

/** What people come for, counted in steps: presses of a key or a button that lead on. */

test('on call: from the overview to the failure, its cause and a resend in four steps', async () => {
  await using browser = await startBrowser();
  await using dashboard = await startDashboard();
  const user = await dashboard.user('duty@bells.test');
  const { work, store } = dashboard.service;
  const { id: queue_id } = await work.setQueue(user.teamId, 'mail', {});
  const [id] = await fillJobs(store, [
    {
      team_id: user.teamId,
      queue_id,
      url: `${dashboard.url}/echo`,
      status: 'dead_lettered',
      started_at: Date.now() - 60_000,
      completed_at: Date.now() - 59_000,
      response_status: 500,
      reason: 'http_server_error',
    },
  ]);
  await using watched = await openPage({ browser, dashboard }, '/', { user });
  const { page } = watched;
  let steps = 0;
  const step = async (press: Promise<void>) => {
    await press;
    steps++;
  };
  await step(page.getByRole('link', { name: 'Retry or delete' }).click());
  await heading(page, 'Failures');
  await step(page.locator('main table').getByRole('link', { name: '1', exact: true }).click());
  await heading(page, 'Jobs');
  await step(page.locator(`main table a[href="/jobs/${id}"]`).first().click());
  await page.getByText('The target answered 500').first().waitFor();
  await step(page.getByRole('button', { name: 'Retry', exact: true }).click());
  await page.getByText('1 succeeded').waitFor();
  assert.equal(steps, 4);
  await assertClean(watched);
});

test('on call: one customer’s 26 of 130 failed jobs are found, explained and resent in few steps', async () => {
  await using browser = await startBrowser();
  await using dashboard = await startDashboard();
  const user = await dashboard.user('many@bells.test');
  const { work, store } = dashboard.service;
  const { id: queue_id } = await work.setQueue(user.teamId, 'payments', {});
  const ids = await fillJobs(
    store,
    Array.from({ length: 130 }, (_, n) => ({
      team_id: user.teamId,
      queue_id,
      url: `${dashboard.url}/echo`,
      payload: JSON.stringify({ customer: n % 5 === 0 ? 'Acme' : 'Other', order: `order-${n}` }),
      status: 'dead_lettered',
      started_at: Date.now() - 60_000,
      completed_at: Date.now() - 59_000,
      response_status: 503,
      reason: 'http_server_error',
      error_message: 'HTTP 503 error',
    })),
  );
  await using watched = await openPage({ browser, dashboard }, '/', { user });
  const { page } = watched;
  let steps = 0;
  const step = async (press: Promise<void>) => {
    await press;
    steps++;
  };
  // What failed, why, since when and how often: on the first page. Who: one click further.
  const row = page.getByRole('listitem').filter({ hasText: 'payments' });
  await row.getByText('130 of 130').waitFor();
  await row.getByText('since').waitFor();
  await step(row.getByRole('link', { name: 'HTTP 503 error' }).click());
  await page.getByText('Check the target').first().waitFor();
  await page
    .getByText(/"(Acme|Other)"/)
    .first()
    .waitFor();
  assert.ok(steps <= 3, 'what, why, since when and who');

  steps = 0;
  await step(page.getByRole('link', { name: 'See its failed jobs' }).click());
  await heading(page, 'Jobs');
  await step(page.locator('main').getByRole('searchbox', { name: 'Search' }).fill('Acme'));
  await step(page.getByRole('button', { name: 'Retry 26 jobs' }).first().click());
  const dialog = page.getByRole('dialog').filter({ visible: true });
  await step(dialog.getByRole('button', { name: 'Retry 26 jobs' }).click());
  await page.getByText('26 succeeded').waitFor();
  assert.ok(steps <= 5, 'a part of the failures is resent');

  for (const words of [ids[7]?.slice(-8) ?? '', new URL(dashboard.url).host, 'order-7"']) {
    steps = 0;
    const search = page.getByRole('banner').getByRole('searchbox');
    await step(search.fill(words));
    await step(search.press('Enter'));
    await page.locator('main table a[href^="/jobs/"]').first().waitFor();
    assert.match(decodeURIComponent(page.url()), /[?&]q=/);
    if (words !== new URL(dashboard.url).host)
      await page.locator(`main table a[href="/jobs/${ids[7]}"]`).first().waitFor();
    assert.ok(steps <= 2, `found by ${words}`);
  }
  await assertClean(watched);
});

test('first time: from the first page to the first delivered job by keys alone, in two steps', async () => {
  await using browser = await startBrowser();
  // Behind a proxy the form asks for the setup code too.
  await using dashboard = await startDashboard({ TRUSTED_PROXIES: '0' });
  await using watched = await browser.newPage({});
  const { page } = watched;
  await page.goto(dashboard.url);
  await heading(page, 'Set up Belfry');
  await page.waitForLoadState('networkidle');
  let steps = 0;
  let tabs = 0;
  /** Goes on by Tab alone, until what has this name is focused. */
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
  const step = async () => {
    await page.keyboard.press('Enter');
    steps++;
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
  await step();
  await heading(page, 'Overview');
  await page.waitForLoadState('networkidle');
  await tabTo('Send sample job');
  await step();
  await page.waitForURL(/\/jobs\/[\da-f-]{36}$/);
  await page.getByText('HTTP 200').first().waitFor();
  assert.equal(steps, 2);
  // The button that shows the password is a stop, and the navigation, with a link a page, comes before the page.
  assert.ok(tabs <= 26, `${tabs} presses of Tab lead there`);
  await assertClean(watched);
});
