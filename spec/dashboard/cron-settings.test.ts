import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { A_CRON } from '#testing/factories';
import type { TestUser } from '#testing/dashboard';
import { heading, openAdvanced, press, rowOf, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** The further settings of a cron on its form and page. Without scripts. */

const { dashboard, begin, open: openWith } = usePages();
const open = (path: string, user: TestUser) => openWith(path, user, false);

const input = {
  ...A_CRON,
  name: 'Slowly',
  method: 'GET',
} as const;

describe('§3.1 an end', () => {
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
    await using watched = await open(`/crons/${cron.id}/edit`, user);
    const { page } = watched;
    await page.getByLabel('Ends at').fill('some day');
    await page.getByLabel('Ends after runs').fill('2');
    await press(page, 'Save');
    await page.getByText('such as 2026-12-31 18:00.').first().waitFor();
    assert.equal(await page.getByLabel('Ends at').inputValue(), 'some day');
    await page.getByText('Then it ends.').waitFor();
    await page.getByLabel('Ends at').fill('2999-12-31 18:00');
    await press(page, 'Save');
    await heading(page, 'Countdown');
    await page.getByText('2999-12-31 18:00 UTC or 2 runs (0 so far)').waitFor();
    await page.getByText('Then the cron ends.').waitFor();
    await page.goto(`${dashboard.url}/crons/${cron.id}/edit`);
    await page.getByLabel('Ends at').fill('2020-01-01 00:00');
    await press(page, 'Save');
    await page.getByText('The cron has ended and does not run again.').waitFor();
    await page.goto(`${dashboard.url}/crons?status=idle`);
    await rowOf(page, 'Countdown').getByText('ended', { exact: true }).waitFor();
    await page.goto(`${dashboard.url}/crons?status=active`);
    await page.getByText('No cron matches').waitFor();
    const [activity] = await work.listActivityOf(user.teamId, cron.id);
    assert.equal(
      activity?.detail,
      'end: 2999-12-31 18:00 UTC or 2 runs → 2020-01-01 00:00 UTC or 2 runs',
    );
  });
});

test('§3.1 failed runs that stop a cron are set in the form, and Start continues it', async () => {
  const user = await begin();
  const { work } = dashboard.service;
  const url = `${dashboard.url}/nowhere`;
  const { id } = await work.createCron(user.teamId, { ...input, name: 'Fragile', url });
  await using watched = await open(`/crons/${id}/edit`, user);
  const { page } = watched;
  await page.getByLabel('Stop after failed runs').fill('0');
  await press(page, 'Save');
  await page.getByText('must be a whole number from 1 to 1000.').first().waitFor();
  await page.getByLabel('Stop after failed runs').fill('1');
  await press(page, 'Save');
  await heading(page, 'Fragile');
  await page.getByText('After 1 failed run', { exact: true }).waitFor();
  await work.runCronNow(user.teamId, id);
  await eventually(async () => (await work.findCron(user.teamId, id))?.stoppedAfter === 1);
  await page.goto(`${dashboard.url}/`);
  const trouble = page.getByRole('listitem').filter({ hasText: 'Fragile' }).first();
  assert.match((await trouble.textContent()) ?? '', /^Stoppedafter 1 failureFragile cron/);
  await trouble.getByRole('button', { name: 'Start' }).waitFor();
  await page.goto(`${dashboard.url}/crons?status=failing`);
  await rowOf(page, 'Fragile').getByRole('button', { name: 'Start' }).waitFor();
  await rowOf(page, 'Fragile').getByText('Stopped', { exact: true }).waitFor();
  await rowOf(page, 'Fragile').getByText('after 1 failure', { exact: true }).waitFor();
  await page.goto(`${dashboard.url}/alerts`);
  await page.getByText('“Fragile” was stopped after 1 failed run').first().waitFor();
  await page.goto(`${dashboard.url}/settings/activity`);
  await page.getByTitle('Only by Belfry').first().click();
  await page.waitForURL(/by=system/);
  await page.getByText('Stopped the cron').first().waitFor();
  await page.goto(`${dashboard.url}/crons/${id}`);
  await page.getByText('it does not run until you start it').waitFor();
  await press(page, 'Start');
  await page.getByText('The cron runs on schedule again.').waitFor();
  assert.equal((await work.findCron(user.teamId, id))?.stoppedAfter, null);
});

describe('§2.8 the next runs', () => {
  test('the next runs are shown in another time zone and in UTC', async () => {
    await using watched = await open('/crons/new', await begin());
    const { page } = watched;
    await page.getByText('The schedule stays in UTC').waitFor();
    await page.getByLabel('Cron expression').fill('0 20 * * *');
    await page.getByLabel('Show runs in').fill('asia/tokyo');
    await press(page.locator('main'), 'Show next runs');
    const runs = page.getByRole('table', { name: 'Next runs' });
    await runs.getByRole('columnheader', { name: 'Asia/Tokyo' }).waitFor();
    assert.match((await runs.getByRole('row').nth(1).textContent()) ?? '', / 20:00.* 05:00$/);
    assert.equal(await page.getByLabel('Cron expression').inputValue(), '0 20 * * *');
    await page.getByLabel('Show runs in').fill('Asia/Atlantis');
    await press(page.locator('main'), 'Show next runs');
    await page.getByText('There is no such time zone.').waitFor();
    assert.equal(await page.getByLabel('Show runs in').inputValue(), 'Asia/Atlantis');
    assert.equal(await runs.getByRole('columnheader').count(), 1, 'UTC alone');
  });
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
    await using watched = await open('/crons/new', user);
    const { page } = watched;
    await page.getByLabel('Name', { exact: true }).fill('Second');
    await page.getByLabel('URL', { exact: true }).fill(url);
    await page.getByLabel('Cron expression').fill('0 0 * * *');
    await openAdvanced(page);
    await page.getByLabel('Payload').fill('kept');
    await press(page.locator('main'), 'Create cron');
    const notice = page.getByRole('region', { name: 'Another cron does the same' });
    const link = notice.getByRole('link', { name: 'First' });
    assert.equal(await link.getAttribute('href'), `/crons/${first.id}`);
    assert.equal((await work.listCrons(user.teamId)).length, 1);
    await press(page.locator('main'), 'Create cron');
    await notice.waitFor();
    assert.equal((await work.listCrons(user.teamId)).length, 1, 'the same button says it again');
    await press(notice, 'Save anyway');
    await heading(page, 'Second');
    const second = (await work.listCrons(user.teamId)).find(({ name }) => name === 'Second');
    assert.equal(second?.payload, 'kept');
  });

  test('an edit that makes a cron a duplicate is reported once', async () => {
    const user = await begin();
    const { work } = dashboard.service;
    const url = 'https://twice.example/';
    const hourly = { ...input, url, cronExpression: '@hourly' };
    await work.createCron(user.teamId, { ...hourly, name: 'First' });
    const second = await work.createCron(user.teamId, {
      ...hourly,
      name: 'Second',
      url: `${url}2`,
    });
    await using watched = await open(`/crons/${second.id}/edit`, user);
    const { page } = watched;
    await page.getByLabel('URL', { exact: true }).fill(url);
    await page.getByLabel('Cron expression').fill('0 */1 * * *');
    await press(page.locator('main'), 'Save');
    const notice = page.getByRole('region', { name: 'Another cron does the same' });
    await notice.getByText('Nothing is saved yet.').waitFor();
    assert.deepEqual(await work.findCron(user.teamId, second.id), second);
    await press(notice, 'Save anyway');
    await heading(page, 'Second');
    await page.goto(`${dashboard.url}/crons/${second.id}/edit`);
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await press(page.locator('main'), 'Save');
    await heading(page, 'Renamed');
  });

  test('an equal cron of another team is not reported', async () => {
    const { work } = dashboard.service;
    const same = { ...input, url: 'https://x.example/' };
    await work.createCron((await begin()).teamId, same);
    assert.equal(await work.findSameCron((await begin()).teamId, same), null);
  });
});

describe('§6.4 a rule of slow runs', () => {
  test('a slow rule is set in the form, and a slow run is shown on the page and as an alert', async () => {
    const user = await begin();
    const { work } = dashboard.service;
    const url = `${dashboard.url}/echo?delay=1.2`;
    const cron = await work.createCron(user.teamId, { ...input, url });
    await using watched = await open(`/crons/${cron.id}/edit`, user);
    const { page } = watched;
    await page.getByLabel('Slow after').fill('301');
    await press(page, 'Save');
    await page.getByText('Slow runs take longer than 1 to 300 seconds.').first().waitFor();
    assert.equal(await page.getByLabel('Slow after').inputValue(), '301');
    await page.getByLabel('Slow after').fill('1');
    await page.getByLabel('Times longer than usual').fill('3');
    await press(page, 'Save');
    await heading(page, 'Slowly');
    await page.getByText('longer than 1 s or 3 times the median').waitFor();
    await press(page, 'Run now');
    await eventually(async () => (await work.listAlerts(user.teamId, { limit: 9 })).length === 1);
    await page.goto(`${dashboard.url}/crons/${cron.id}`);
    await page.getByText('This cron is slow').waitFor();
    await page.getByRole('link', { name: 'See its alerts' }).first().click();
    await page.getByText('“Slowly” is slow').first().waitFor();
    await page.getByText('longer than 1 s.').first().waitFor();
  });

  test('a slow rule of a queue adds channels for recoveries', async () => {
    const user = await begin();
    const { work } = dashboard.service;
    const queue = await work.setQueue(user.teamId, 'mails', {});
    await using watched = await open(`/queues/${queue.id}/edit`, user);
    const { page } = watched;
    await openAdvanced(page);
    await page.getByLabel('Times longer than usual').fill('5');
    await page.getByLabel('Default channel: Recovery').uncheck();
    await press(page, 'Save');
    await heading(page, 'mails');
    await page.getByText('longer than 5 times the median').waitFor();
    await page.getByText('Recovery: nobody').waitFor();
    const saved = await work.findQueue(user.teamId, queue.id);
    assert.deepEqual(saved?.alertSettings.slow, { seconds: null, timesMedian: 5 });
  });
});
