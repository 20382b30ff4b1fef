import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import { before } from '#testing/hooks';
import type { TestUser } from '#testing/dashboard';
import { usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** The Alerts tab (§6.4, §6.5): what was raised, by whom it was muted, what nobody has read yet. */

let teams = 0;

const { createCron, createJob, dashboard, target, visit } = usePages();
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

const createAlertingCron = (user: TestUser, name: string, alertThreshold: 1 | 2 = 1) =>
  createCron(user, name, { path: '/cron', alertThreshold });

/** Runs a cron now and waits until that raised an alert. */
async function fail(user: TestUser, cronId: string): Promise<void> {
  const before = (await alertsOf(user)).length;
  await dashboard.service.work.runCronNow(user.teamId, cronId);
  await eventually(async () => (await alertsOf(user)).length > before);
}

async function failJobs(user: TestUser, count: number): Promise<void> {
  const { work } = dashboard.service;
  await work.setQueue(user.teamId, 'mail', { retriesEnabled: false, emailAlerts: true });
  for (let n = 0; n < count; n++) await createJob(user, '/job');
  await eventually(async () => (await alertsOf(user)).length === count);
}

describe('the Alerts tab', () => {
  test('an alert is unread in the navigation and the title until it is marked as read', async () => {
    const user = await begin();
    await fail(user, await createAlertingCron(user, 'Nightly', 2));
    await fail(user, await createAlertingCron(user, 'Hourly'));
    const page = await visit('/crons', user);
    await page.follow(/^Alerts ?2 unread$/);
    assert.match(page.title, /\(2\) Alerts · Belfry$/);
    page.row('Nightly').shows('Warning');
    page.row('Hourly').shows('Failure');

    await page.row('Hourly').press('Mark read');
    page.shows('The alert is marked as read.');
    assert.match(page.title, /\(1\) Alerts · Belfry$/);
    await page.row('Hourly').press('Mark unread');
    assert.match(page.title, /\(2\) Alerts · Belfry$/);

    await page.press('Mark all read');
    page.shows('2 alerts are marked as read.');
    assert.deepEqual(
      (await alertsOf(user)).map(({ isRead }) => isRead),
      [true, true],
    );
    assert.ok(!page.buttons.includes('Mark all read'));
    assert.match(page.title, /(?<!\) )Alerts · Belfry$/);
  });

  test('filters of alerts are in the address', async () => {
    const user = await begin();
    const nightly = await createAlertingCron(user, 'Nightly', 2);
    await fail(user, nightly);
    await fail(user, nightly);
    await fail(user, await createAlertingCron(user, 'Hourly'));
    const [newest] = await alertsOf(user);
    await dashboard.service.work.markAlerts(user.teamId, [newest?.id ?? ''], true);
    const page = await visit('/alerts', user);
    const rows = () => page.all('tbody tr').length;
    assert.equal(rows(), 3);
    await page.press('Apply', { Level: 'failure' });
    assert.match(page.path, /level=failure/);
    assert.equal(rows(), 2);
    await page.press('Apply', { Source: 'Nightly' });
    assert.match(page.path, /source=cron/);
    assert.equal(rows(), 1);
    page.row('“Nightly” failed 2 times in a row');
    await page.follow('Clear');
    assert.equal(rows(), 3);
    await page.press('Apply', { 'Unread only': true });
    assert.match(page.path, /unread=1/);
    assert.equal(rows(), 2);
    await page.go('/alerts?level=recovery');
    page.shows('No alert matches');
    await page.go('/alerts?level=%27&source=team:1&delivery=x&after=nothing');
    page.shows('The filter can’t be read');
  });

  test('an alert links to its run and its cron or queue', async () => {
    const user = await begin();
    await fail(user, await createAlertingCron(user, 'Nightly'));
    await failJobs(await begin(), 1);
    const page = await visit('/alerts', user);
    await page.follow(/“Nightly” failed/);
    page.shows('out of cheese');
    const [alert] = await alertsOf(user);
    assert.equal(page.path, `/executions/${alert && 'runId' in alert ? alert.runId : ''}`);
    await page.go('/alerts');
    await page.follow('Cron Nightly');
    assert.equal(page.heading, 'Nightly');
    await page.follow('See its alerts');
    page.row('Nightly');
  });

  test('muted alerts name their maintenance window', async () => {
    const user = await begin();
    const cronId = await createAlertingCron(user, 'Nightly');
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
    const page = await visit('/alerts', user);
    page.row('Nightly').shows('Muted', 'HTTP 500 · muted by “Database <b>upgrade</b>”');
    page.shows('Alerts of the team are muted');
    await page.press('Apply', { Notification: 'sent' });
    page.shows('No alert matches');
  });

  test('Mark all read leaves alerts unread that came after the page was loaded', async () => {
    const user = await begin();
    const cronId = await createAlertingCron(user, 'Nightly', 2);
    await fail(user, cronId);
    const page = await visit('/alerts', user);
    await fail(user, cronId);
    await page.press('Mark all read');
    page.shows('1 alert is marked as read.');
    assert.deepEqual(
      (await alertsOf(user)).map(({ level, isRead }) => [level, isRead]),
      [
        ['failure', false],
        ['warning', true],
      ],
    );
  });

  test('a failing channel is reported without its address', async () => {
    const user = await begin();
    const { work, store } = dashboard.service;
    await fail(user, await createAlertingCron(user, 'Nightly'));
    await work.setChannel(user.teamId, { kind: 'slack', url: `${target.url}/hook/s3cret-part` });
    await store.channels.record(user.teamId, DEFAULT_REF, {
      last_error: 'HTTP 404 error',
      last_error_at: Date.now(),
    });
    const page = await visit('/alerts', user);
    page.shows('The last notification by Slack could not be sent.');
    page.shows('An admin of the team can check the channel.');
    assert.doesNotMatch(page.html, /s3cret|127\.0\.0\.1:\d+\/…/);
  });
});
