import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { A_CRON } from '#testing/factories';
import type { TestUser } from '#testing/dashboard';
import { assertClean, press, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** What people do with crons (§2.1, §3.1), each in a team of its own, and what must not happen meanwhile. */

const { begin, browser, dashboard, sentTo, target, visit } = usePages();

const cronsOf = (user: TestUser) => dashboard.service.work.listCrons(user.teamId);
const runsOf = (user: TestUser, cronId: string) =>
  dashboard.service.work.listExecutions(user.teamId, cronId, 100);

/** A cron that the clock does not start during a test: once a year. */
function createCron(user: TestUser, path: string, cron: { isActive?: boolean } = {}) {
  return dashboard.service.work.createCron(user.teamId, {
    ...A_CRON,
    name: `Cron of ${path}`,
    url: `${target.url}${path}`,
    headers: [
      ['Authorization', 'Bearer s3cret-token'],
      ['X-Trace', 'on'],
    ],
    payload: '{"n":1.0}',
    alertThreshold: 2,
    isActive: cron.isActive ?? true,
    assertions: [{ kind: 'body_contains', text: 'fine' }],
  });
}

describe('crons', () => {
  test('Create cron makes an active cron with every field, and errors lose no input', async () => {
    const user = await begin();
    const page = await visit('/crons', user);
    page.shows('No crons yet');
    await page.follow('Create cron');
    assert.equal(page.heading, 'Create cron');
    page.fill('Name', 'Close the month');
    page.fill('URL', 'nowhere');
    page.fill('Cron expression', '61 * * * *');
    page.fill('Request timeout', '301');
    page.fill('Alert threshold', '2');
    page.fill('Assertion 1', 'body_contains');
    await page.press('Create cron', { 'Assertion 1, expected': 'fine' });
    page.shows('The target URL must be a valid URL.');
    page.shows('The cron expression is not a valid cron expression.');
    page.shows('Timeout cannot exceed 300 seconds (5 minutes).');
    assert.deepEqual(await cronsOf(user), [], 'a refused form makes no cron');
    assert.equal(page.field('Name'), 'Close the month');
    assert.equal(page.field('Assertion 1, expected'), 'fine');
    page.fill('URL', `${target.url}/close`);
    await page.press('Create cron', { 'Cron expression': '0 6 29 2 *', 'Request timeout': '20' });
    assert.equal(page.heading, 'Close the month');
    const [cron] = await cronsOf(user);
    assert.equal(cron?.isActive, true);
    assert.ok((cron.nextRunAt ?? 0) > Date.now());
    assert.equal(cron.alertThreshold, 2);
    assert.equal(cron.timeoutSeconds, 20);
    assert.deepEqual(cron.assertions, [{ kind: 'body_contains', text: 'fine' }]);
    page.shows('At 06:00, on day 29 of the month, only in February');
  });

  test('Delete asks with the consequences and deletes the cron with its runs', async () => {
    const user = await begin();
    const path = `/gone`;
    const { id } = await createCron(user, path);
    const run = await dashboard.service.work.runCronNow(user.teamId, id);
    await eventually(async () => (await runsOf(user, id))[0]?.completedAt);
    const page = await visit(`/crons/${id}`, user);
    const question = await page.press('Delete');
    assert.match(question, /history of 1 run/);
    page.shows('The cron is deleted with its runs.');
    assert.deepEqual(await cronsOf(user), []);
    await page.go(`/executions/${run?.id}`);
    assert.equal(page.status, 404);
  });
});

describe('a cron', () => {
  test("a link that fills in a cron's URL shows the stored URL, too", async () => {
    const user = await begin();
    const cron = await createCron(user, '/linked');
    const edit = (url: string) =>
      visit(`/crons/${cron.id}/edit?url=${encodeURIComponent(url)}`, user);
    const linked = await edit('https://evil.example/');
    assert.equal(linked.field('URL'), 'https://evil.example/');
    const note = `comes from the link that you opened. The stored URL is ${cron.url}. Check it`;
    linked.shows(note);
    (await edit(cron.url)).lacks('comes from the link');
  });

  test('duplicating a cron leaves the first unchanged', async () => {
    const user = await begin();
    const first = await createCron(user, '/twice');
    const page = await visit(`/crons/${first.id}`, user);
    await page.follow('Duplicate');
    assert.equal(page.heading, 'Duplicate cron');
    await page.press('Create cron', { Active: false });
    await page.press('Save anyway');
    assert.equal(page.heading, 'Cron of /twice (copy)');
    const second = (await cronsOf(user)).find(({ id }) => id !== first.id);
    assert.deepEqual([second?.isActive, second?.nextRunAt], [false, null]);
    assert.deepEqual(second?.headers, first.headers);
    assert.deepEqual(await dashboard.service.work.findCron(user.teamId, first.id), first);
  });

  test('a form opened before somebody else saved says so, keeps its input and can replace the change', async () => {
    const user = await begin();
    const { work } = dashboard.service;
    const cron = await createCron(user, '/shared');
    const queue = await work.setQueue(user.teamId, 'mails', {});
    const [stale, other, twice] = await Promise.all(
      [1, 2, 3].map(() => visit(`/crons/${cron.id}/edit`, user)),
    );
    const staleQueue = await visit(`/queues/${queue.id}/edit`, user);
    assert.ok(stale && other && twice);
    await other.press('Save', { Name: 'Renamed by another' });
    await twice.press('Save', { Name: 'Renamed by another' });
    assert.equal(twice.heading, 'Renamed by another', 'the same form may be sent twice');
    await work.setQueue(user.teamId, 'mails', { timeoutSeconds: 7 });
    await stale.press('Save', { 'Cron expression': '7 7 1 1 *' });
    stale.shows('these settings have changed since you opened the form');
    assert.equal(stale.field('Cron expression'), '7 7 1 1 *');
    assert.equal((await cronsOf(user))[0]?.name, 'Renamed by another');
    await staleQueue.press('Save', { 'Request timeout': '9' });
    assert.equal((await work.findQueue(user.teamId, queue.id))?.timeoutSeconds, 7);
    await stale.press('Save');
    assert.equal(stale.heading, 'Cron of /shared');
    assert.equal((await cronsOf(user))[0]?.cronExpression, '7 7 1 1 *');
  });

  test('a test run of an unsaved cron is sent once, shown and counted, but not stored', async () => {
    const user = await begin();
    target.answer('/tried', { body: 'not so well' });
    const page = await visit('/crons/new', user);
    page.fill('Assertion 1', 'body_contains');
    page.fill('Assertion 1, expected', 'fine');
    await page.press('Test run', { URL: `${target.url}/tried` });
    page.part('[aria-label="Test run"]').shows('Fails', 'not so well');
    assert.equal(page.field('URL'), `${target.url}/tried`, 'the form stays as it was');
    assert.equal(sentTo('/tried').length, 1);
    assert.deepEqual(await cronsOf(user), []);
    const { used } = await dashboard.service.people.billing.readUsage(user.teamId);
    assert.equal(used, 1);
  });

  test('a crontab line fills the form, with a note about the differences', async () => {
    const user = await begin();
    const page = await visit('/crons/new', user);
    await page.press('Fill the form', { Command: 'echo hello' });
    page.shows('There is no curl or wget in this command.');
    const line = `*/15 * * * * curl -fsS -H 'X-Key: 1' -d '{"a":1.0}' ${target.url}/pasted >/dev/null`;
    await page.press('Fill the form', { Command: line });
    page.shows('A crontab uses its machine’s local time');
    assert.equal(page.field('Cron expression'), '*/15 * * * *');
    assert.equal(page.field('URL'), `${target.url}/pasted`);
    assert.equal(page.field('Method'), 'POST');
    page.shows('Every 15 minutes');
    await page.press('Create cron');
    page.shows('is created.');
    const [cron] = await cronsOf(user);
    assert.equal(cron?.payload, '{"a":1.0}');
    assert.ok(cron.headers.some(([name, value]) => name === 'X-Key' && value === '1'));
    assert.equal(sentTo('/pasted').length, 0, 'nothing of it was run');
  });

  test('the schedule is explained while it is typed', async () => {
    const user = await begin();
    await using watched = await browser.newPage({ timezoneId: 'Europe/Berlin' });
    await (await dashboard.signIn(user)).lendTo(watched.context);
    const { page } = watched;
    await page.goto(`${dashboard.url}/crons/new`);
    await press(page.getByRole('group', { name: 'Presets' }), 'Weekdays at 06:00');
    await page.getByText('At 06:00, Monday through Friday').waitFor();
    assert.equal(await page.getByRole('table', { name: 'Next runs' }).getByRole('row').count(), 11);
    await page.getByRole('columnheader', { name: 'Europe/Berlin' }).waitFor();
    await page.getByText('without summer time').waitFor();
    await page.getByLabel('Cron expression').fill('0 0 1 * MON');
    await page.getByText('it runs on days that match either of them').waitFor();
    await page.getByLabel('Cron expression').fill('0 0 6 * * *');
    await page.getByText('There are six fields.').waitFor();
    await assertClean(watched);
  });

  test('crons can be filtered by name, URL or state in the address', async () => {
    const user = await begin();
    for (let n = 10; n < 65; n++) await createCron(user, `/hay/${n}`);
    await createCron(user, '/needle', { isActive: false });
    const page = await visit('/crons?q=cron+of', user);
    page.row('/hay/10');
    page.lacks('/needle');
    await page.follow('Next');
    page.row('/needle');
    await page.part('main').press('Apply', { Search: 'NEEDLE' });
    assert.match(page.path, /q=NEEDLE/);
    page.row('/needle');
    assert.equal(page.all('tr').length, 2);
    await page.press('Apply', { Health: 'active' });
    page.shows('No cron matches');
    assert.match(page.path, /q=NEEDLE&status=active/);
  });
});
