import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before } from '#testing/hooks';
import { A_CRON, A_JOB } from '#testing/factories';
import type { TestUser } from '#testing/dashboard';
import { assertClean, heading, press, rowOf, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** The Alerts tab (§6.4, §6.5): what was raised, by whom it was muted, what nobody has read yet. */

let teams = 0;

const { dashboard, open, target } = usePages();
before(async () => {
  for (const path of ['/cron', '/job']) target.answer(path, { status: 500, body: 'out of cheese' });
});

/** A member: nobody needs to be more to see alerts (§5.8). */
async function begin(): Promise<TestUser> {
  const team = `Alert team ${++teams}`;
  await dashboard.user(`owner${teams}@bells.test`, { team });
  return dashboard.user(`member${teams}@bells.test`, { team, role: 'member' });
}

const alertsOf = ({ teamId }: TestUser) =>
  dashboard.service.work.listAlerts(teamId, { limit: 200 });

/** A cron that the clock does not start during a test. */
async function createCron(user: TestUser, name: string, alertThreshold: 1 | 2 | 3 = 1) {
  const { id } = await dashboard.service.work.createCron(user.teamId, {
    ...A_CRON,
    name,
    url: `${target.url}/cron`,
    alertThreshold,
  });
  return id;
}

/** Runs a cron now and waits until that raised an alert. */
async function fail(user: TestUser, cronId: string): Promise<void> {
  const before = (await alertsOf(user)).length;
  await dashboard.service.work.runCronNow(user.teamId, cronId);
  await eventually(async () => (await alertsOf(user)).length > before);
}

async function failJobs(user: TestUser, count: number): Promise<void> {
  const { work } = dashboard.service;
  await work.setQueue(user.teamId, 'mail', { retriesEnabled: false, emailAlerts: true });
  for (let n = 0; n < count; n++) {
    await work.createJob(user.teamId, {
      ...A_JOB,
      url: `${target.url}/job`,
    });
  }
  await eventually(async () => (await alertsOf(user)).length === count);
}

for (const javaScript of [true, false]) {
  describe(javaScript ? 'with scripts' : 'without scripts', () => {
    test('an alert is unread in the navigation and the title until it is marked as read', async () => {
      const user = await begin();
      await fail(user, await createCron(user, 'Nightly', 2));
      await fail(user, await createCron(user, 'Hourly'));
      await using watched = await open('/crons', user, javaScript);
      const { page } = watched;
      await page.getByRole('link', { name: 'Alerts 2 unread' }).click();
      await heading(page, 'Alerts');
      assert.match(await page.title(), /\(2\) Alerts · Belfry$/);
      await rowOf(page, 'Nightly').getByText('Warning').waitFor();
      await rowOf(page, 'Hourly').getByText('Failure').waitFor();

      await press(rowOf(page, 'Hourly'), 'Mark read');
      await page.getByText('The alert is marked as read.').waitFor();
      await page.getByRole('link', { name: 'Alerts 1 unread' }).waitFor();
      assert.match(await page.title(), /\(1\) Alerts · Belfry$/);
      await press(rowOf(page, 'Hourly'), 'Mark unread');
      await page.getByRole('link', { name: 'Alerts 2 unread' }).waitFor();

      await press(page, 'Mark all read');
      await page.getByText('2 alerts are marked as read.').waitFor();
      assert.deepEqual(
        (await alertsOf(user)).map(({ isRead }) => isRead),
        [true, true],
      );
      assert.equal(await page.getByRole('button', { name: 'Mark all read' }).count(), 0);
      assert.match(await page.title(), /(?<!\) )Alerts · Belfry$/);
      await assertClean(watched);
    });

    test('filters of alerts are in the address', async () => {
      const user = await begin();
      const nightly = await createCron(user, 'Nightly', 2);
      await fail(user, nightly);
      await fail(user, nightly);
      await fail(user, await createCron(user, 'Hourly'));
      const [newest] = await alertsOf(user);
      await dashboard.service.work.markAlerts(user.teamId, [newest?.id ?? ''], true);
      await using watched = await open('/alerts', user, javaScript);
      const { page } = watched;
      const rows = () => page.locator('tbody tr').count();
      const apply = async (address: RegExp) => {
        if (!javaScript) await press(page, 'Apply');
        await page.waitForURL(address);
      };
      assert.equal(await rows(), 3);
      await page.getByLabel('Level').selectOption('failure');
      await apply(/level=failure/);
      await eventually(async () => (await rows()) === 2);
      await page.getByLabel('Source').selectOption('Nightly');
      await apply(/source=cron/);
      await eventually(async () => (await rows()) === 1);
      await rowOf(page, '“Nightly” failed 2 times in a row').waitFor();
      await page.getByRole('link', { name: 'Clear' }).click();
      await eventually(async () => (await rows()) === 3);
      await page.getByLabel('Unread only').check();
      await apply(/unread=1/);
      await eventually(async () => (await rows()) === 2);
      await page.goto(`${dashboard.url}/alerts?level=recovery`);
      await page.getByText('No alert matches').waitFor();
      await page.goto(`${dashboard.url}/alerts?level=%27&source=team:1&delivery=x&after=nothing`);
      await page.getByText('The filter can’t be read').waitFor();
      await assertClean(watched);
    });

    if (!javaScript) {
      test('alerts are listed one by one, fifty a page', async () => {
        const user = await begin();
        await failJobs(user, 53);
        await fail(user, await createCron(user, 'Nightly'));
        await using watched = await open('/alerts', user, javaScript);
        const { page } = watched;
        const rows = () => page.locator('tbody tr').count();
        assert.equal(await rows(), 50);
        const row = page.locator('tbody tr').nth(1);
        await row.getByText('A job of “mail” was dead-lettered').waitFor();
        await row.getByText('HTTP 500').first().waitFor();
        await row.getByRole('link', { name: 'Queue mail', exact: true }).waitFor();
        await press(row, 'Mark read');
        await page.getByText('The alert is marked as read.').waitFor();
        const read = (await alertsOf(user)).filter(({ isRead }) => isRead);
        assert.equal(read.length, 1, 'the other alerts of the queue are left alone');
        await page.getByRole('link', { name: 'Older' }).click();
        await eventually(async () => (await rows()) === 4);
        assert.equal(await page.getByRole('link', { name: 'Older' }).count(), 0);
        await page.getByRole('link', { name: 'Newer' }).click();
        await eventually(async () => (await rows()) === 50);
        assert.equal(await page.getByRole('link', { name: 'Newer' }).count(), 0);
        await assertClean(watched);
      });
    }
  });
}

describe('the Alerts tab', () => {
  test('an alert links to its run and its cron or queue', async () => {
    const user = await begin();
    await fail(user, await createCron(user, 'Nightly'));
    await failJobs(await begin(), 1);
    await using watched = await open('/alerts', user, false);
    const { page } = watched;
    await page.getByRole('link', { name: '“Nightly” failed' }).click();
    await page.getByText('out of cheese').first().waitFor();
    const [alert] = await alertsOf(user);
    assert.equal(
      new URL(page.url()).pathname,
      `/executions/${alert && 'runId' in alert ? alert.runId : ''}`,
    );
    await page.goto(`${dashboard.url}/alerts`);
    await page.getByRole('link', { name: 'Cron Nightly' }).click();
    await heading(page, 'Nightly');
    await page.getByRole('link', { name: 'See its alerts' }).click();
    await rowOf(page, 'Nightly').waitFor();
    await assertClean(watched);
  });

  test('the empty Alerts page explains alerts', async () => {
    await using watched = await open('/alerts', await begin());
    await watched.page.getByText('No alerts', { exact: true }).waitFor();
    await watched.page.getByText('no mail server is set up').waitFor();
    await assertClean(watched);
  });

  test('muted alerts name their maintenance window', async () => {
    const user = await begin();
    const cronId = await createCron(user, 'Nightly');
    const { work } = dashboard.service;
    const now = Date.now();
    await work.createWindow(user.teamId, {
      name: 'Database <b>upgrade</b>',
      startsAt: now - 60_000,
      endsAt: now + 600_000,
      isWeekly: false,
      covers: 'team',
    });
    await fail(user, cronId);
    await using watched = await open('/alerts', user);
    const { page } = watched;
    const row = rowOf(page, 'Nightly');
    await row.getByText('Muted', { exact: true }).waitFor();
    await row.getByText('HTTP 500 · muted by “Database <b>upgrade</b>”').waitFor();
    await page.getByText('Alerts of the team are muted').waitFor();
    await page.getByLabel('Notice').selectOption('sent');
    await page.getByText('No alert matches').waitFor();
    await assertClean(watched);
  });

  test('new alerts wait for a click, and Mark all read leaves them unread', async () => {
    const user = await begin();
    const cronId = await createCron(user, 'Nightly', 2);
    await fail(user, cronId);
    await using watched = await open('/alerts', user);
    const { page } = watched;
    await rowOf(page, 'Warning').waitFor();
    await page.waitForLoadState('networkidle');
    await fail(user, cronId);
    // What a tab does when somebody comes back to it.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await page.getByRole('link', { name: 'Alerts 2 unread' }).waitFor();
    assert.equal(await page.locator('tbody tr').count(), 1);
    await press(page, 'Mark all read');
    await page.getByText('1 alert is marked as read.').waitFor();
    assert.deepEqual(
      (await alertsOf(user)).map(({ level, isRead }) => [level, isRead]),
      [
        ['failure', false],
        ['warning', true],
      ],
    );
    await press(page, 'Mark all read');
    await eventually(async () => (await alertsOf(user)).every(({ isRead }) => isRead));
    await assertClean(watched);
  });

  test('a failing channel is reported without its address', async () => {
    const user = await begin();
    const { work, store } = dashboard.service;
    await fail(user, await createCron(user, 'Nightly'));
    await work.setChannel(user.teamId, { kind: 'slack', url: `${target.url}/hook/s3cret-part` });
    await store.channels.recordError(user.teamId, 'HTTP 404 error', Date.now());
    await using watched = await open('/alerts', user, false);
    const { page } = watched;
    await page.getByText('The last notice by Slack could not be sent.').waitFor();
    await page.getByText('An admin of the team can check the channel.').waitFor();
    assert.doesNotMatch(await page.content(), /s3cret|127\.0\.0\.1:\d+\/…/);
    await assertClean(watched);
  });
});
