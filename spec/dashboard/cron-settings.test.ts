import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { A_CRON } from '#testing/factories';
import { usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** The further settings of a cron on its form and page. Without scripts. */

const { dashboard, begin, visit } = usePages();

const input = {
  ...A_CRON,
  name: 'Slowly',
  method: 'GET',
} as const;

test('an end is set in the form and shown on the page and in the list', async () => {
  const user = await begin();
  const { work } = dashboard.service;
  const daily = {
    ...input,
    name: 'Countdown',
    cronExpression: '0 6 * * *',
    url: 'https://x.example/',
  };
  const cron = await work.createCron(user.teamId, daily);
  const page = await visit(`/crons/${cron.id}/edit`, user);
  await page.press('Save', { 'Ends at': 'some day', 'Ends after runs': '2' });
  page.shows('such as 2026-12-31 18:00.');
  assert.equal(page.field('Ends at'), 'some day');
  page.shows('Then it ends.');
  await page.press('Save', { 'Ends at': '2999-12-31 18:00' });
  assert.equal(page.heading, 'Countdown');
  page.shows('2999-12-31 18:00 UTC or 2 runs (0 so far)', 'Then the cron ends.');
  await page.go(`/crons/${cron.id}/edit`);
  await page.press('Save', { 'Ends at': '2020-01-01 00:00' });
  page.shows('The cron has ended and does not run again.');
  await page.go('/crons?status=idle');
  page.row('Countdown').shows('ended');
  await page.go('/crons?status=active');
  page.shows('No cron matches');
  const [activity] = await work.listActivityOf(user.teamId, cron.id);
  assert.equal(
    activity?.detail,
    'end: 2999-12-31 18:00 UTC or 2 runs → 2020-01-01 00:00 UTC or 2 runs',
  );
});

test('§3.1 failed runs that stop a cron are set in the form, and Start continues it', async () => {
  const user = await begin();
  const { work } = dashboard.service;
  const url = `${dashboard.url}/nowhere`;
  const { id } = await work.createCron(user.teamId, { ...input, name: 'Fragile', url });
  const page = await visit(`/crons/${id}/edit`, user);
  await page.press('Save', { 'Stop after failed runs': '0' });
  page.shows('must be a whole number from 1 to 1000.');
  await page.press('Save', { 'Stop after failed runs': '1' });
  assert.equal(page.heading, 'Fragile');
  page.shows('After 1 failed run');
  await work.runCronNow(user.teamId, id);
  await eventually(async () => (await work.findCron(user.teamId, id))?.stoppedAfter === 1);
  await page.go('/');
  const trouble = page.part('li', 'Fragile cron');
  trouble.shows(/^Stoppedafter 1 failureFragile cron/);
  await trouble.press('Start');
  assert.equal(page.path, '/');
  page.shows('The cron runs on schedule again.');
  await work.runCronNow(user.teamId, id);
  await eventually(async () => (await work.findCron(user.teamId, id))?.stoppedAfter === 1);
  await page.go('/crons?status=failing');
  assert.ok(page.row('Fragile').buttons.includes('Start'));
  page.row('Fragile').shows('Stopped');
  page.row('Fragile').shows('after 1 failure');
  await page.go('/alerts');
  page.shows('“Fragile” was stopped after 1 failed run');
  await page.go('/settings/activity');
  await page.go(page.part('a[title="Only by Belfry"]').href);
  assert.match(page.path, /by=system/);
  page.shows('Stopped the cron');
  await page.go(`/crons/${id}?range=7d`);
  page.shows('it does not run until you start it');
  await page.press('Start');
  assert.equal(page.path, `/crons/${id}?range=7d`);
  page.shows('The cron runs on schedule again.');
  assert.equal((await work.findCron(user.teamId, id))?.stoppedAfter, null);
});

test('the next runs are shown in another time zone and in UTC', async () => {
  const page = await visit('/crons/new', await begin());
  page.shows('The schedule stays in UTC');
  page.fill('Cron expression', '0 20 * * *');
  await page.press('Show next runs', { 'Show runs in': 'asia/tokyo' });
  const runs = page.part('table', 'Asia/Tokyo');
  runs.part('tbody tr').shows(/ 20:00.* 05:00$/);
  assert.equal(page.field('Cron expression'), '0 20 * * *');
  await page.press('Show next runs', { 'Show runs in': 'Asia/Atlantis' });
  page.shows('There is no such time zone.');
  assert.equal(page.field('Show runs in'), 'Asia/Atlantis');
  page.part('table', 'UTC').lacks('Asia');
});

describe('§3.1 a duplicate cron', () => {
  test('a duplicate cron is reported with a link and saved only after a confirmation', async () => {
    const user = await begin();
    const { work } = dashboard.service;
    const url = 'https://twice.example/';
    const first = await work.createCron(user.teamId, {
      ...input,
      name: 'First',
      url,
      cronExpression: '@daily',
    });
    const page = await visit('/crons/new', user);
    page.fill('Name', 'Second');
    await page.press('Create cron', { URL: url, 'Cron expression': '0 0 * * *', Payload: 'kept' });
    const notice = page.part('section', 'Another cron does the same');
    assert.equal(notice.part('a', 'First').href, `/crons/${first.id}`);
    assert.equal((await work.listCrons(user.teamId)).length, 1);
    await page.press('Create cron');
    notice.shows('Another cron does the same');
    assert.equal((await work.listCrons(user.teamId)).length, 1, 'the same button says it again');
    await notice.press('Save anyway');
    assert.equal(page.heading, 'Second');
    const second = (await work.listCrons(user.teamId)).find(({ name }) => name === 'Second');
    assert.equal(second?.payload, 'kept');
  });

  test('an equal cron of another team is not reported', async () => {
    const { work } = dashboard.service;
    const same = { ...input, url: 'https://x.example/' };
    await work.createCron((await begin()).teamId, same);
    assert.equal(await work.findSameCron((await begin()).teamId, same), null);
  });
});

test('§6.4 a limit for slow runs is set in the form, and a slow run is shown on the page and as an alert', async () => {
  const user = await begin();
  const { work } = dashboard.service;
  const url = `${dashboard.url}/echo?delay=1.2`;
  const cron = await work.createCron(user.teamId, { ...input, url });
  const page = await visit(`/crons/${cron.id}/edit`, user);
  await page.press('Save', { 'Slow after': '301' });
  page.shows('Slow runs take longer than 1 to 300 seconds.');
  assert.equal(page.field('Slow after'), '301');
  await page.press('Save', { 'Slow after': '1' });
  assert.equal(page.heading, 'Slowly');
  page.shows('longer than 1 s');
  await page.press('Run now');
  await eventually(async () => (await work.listAlerts(user.teamId, { limit: 9 })).length === 1);
  await page.go(`/crons/${cron.id}`);
  page.shows('This cron is slow');
  await page.follow('See its alerts');
  page.shows('“Slowly” is slow', 'longer than 1 s.');
});
