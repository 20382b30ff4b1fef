import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestUser } from '#testing/dashboard';
import { press, rowOf, usePages } from '#testing/pages';
import type { PlainPage } from '#testing/plain-page';

/** Maintenance windows (§6.6): made, changed and ended, and seen on what they mute. */

let teams = 0;

const { browser, createCron, dashboard, visit } = usePages({}, { sends: false });

/** An admin, who may mute the whole team (§5.8), or a member of a new team. */
async function begin(role: 'admin' | 'member' = 'admin'): Promise<TestUser> {
  const team = `Window team ${++teams}`;
  await dashboard.user(`owner${teams}@bells.test`, { team });
  return dashboard.user(`${role}${teams}@bells.test`, { team, role });
}

const windowsOf = ({ teamId }: TestUser) => dashboard.service.work.listWindows(teamId);

const createQueue = async ({ teamId }: TestUser, name: string) =>
  (await dashboard.service.work.setQueue(teamId, name, { emailAlerts: true })).id;

const HOUR = 3_600_000;

/** A window that lies ahead, of the whole team unless it says otherwise. */
async function createWindow(user: TestUser, name: string): Promise<string> {
  const startsAt = Date.now() + HOUR;
  const outcome = await dashboard.service.work.createWindow(user.teamId, {
    name,
    startsAt,
    endsAt: startsAt + HOUR,
    isWeekly: false,
    covers: 'team',
  });
  assert.ok(outcome.kind === 'done');
  return outcome.window.id;
}

function fillTimes(page: PlainPage, startsAt: string, endsAt: string): void {
  page.fill('Starts (UTC)', startsAt);
  page.fill('Ends (UTC)', endsAt);
}

describe('maintenance windows', () => {
  test('a weekly window for chosen crons and queues is made, then changed to one for the team', async () => {
    const user = await begin();
    const [cronId, queueId] = [await createCron(user, 'Nightly'), await createQueue(user, 'mail')];
    await createCron(user, 'Hourly');
    const page = await visit('/maintenance', user);
    page.shows('No maintenance windows yet');
    await page.follow('Create window');
    assert.equal(page.heading, 'Create maintenance window');
    page.fill('Name', 'Database upgrade');
    fillTimes(page, '2030-11-23 22:00', '2030-11-23 21:00');
    page.fill('Repeat every week', true);
    await page.press('Create window', { 'Chosen crons and queues': true });
    page.shows('The end must be after the start.', 'Choose at least one cron or queue.');
    assert.equal(page.field('Name'), 'Database upgrade');
    assert.deepEqual(await windowsOf(user), []);

    fillTimes(page, '2030-11-23 22:00', '2030-11-24 02:00');
    await page.press('Create window', { Nightly: true, mail: true });
    page.shows('The maintenance window “Database upgrade” is created.');
    const row = page.row('Database upgrade');
    row.shows('Upcoming', 'Every Saturday, 22:00 – Sunday, 02:00 UTC', 'Nightly, mail');
    const [made] = await windowsOf(user);
    assert.equal(made?.startsAt, Date.parse('2030-11-23T22:00:00Z'));
    assert.equal(made.isWeekly, true);
    assert.deepEqual(
      new Set(made.covers === 'team' ? [] : made.covers.map(({ kind, id }) => `${kind}:${id}`)),
      new Set([`cron:${cronId}`, `queue:${queueId}`]),
    );

    await row.follow('Edit');
    assert.equal(page.heading, 'Edit Database upgrade');
    assert.equal(page.field('Nightly'), true);
    assert.equal(page.field('Hourly'), false);
    assert.equal(page.field('Starts (UTC)'), '2030-11-23 22:00');
    page.fill('The whole team', true);
    await page.press('Save', { 'Repeat every week': false, 'Pause runs': true });
    page.shows('The maintenance window “Database upgrade” is changed.');
    row.shows('Sat, 23 Nov 2030, 22:00 – Sun, 24 Nov, 02:00 UTC', 'Whole team');
    const [changed] = await windowsOf(user);
    assert.deepEqual([changed?.covers, changed?.isWeekly], ['team', false]);
    assert.deepEqual([made.pausesRuns, changed?.pausesRuns], [false, true]);
    row.shows('pauses runs');
  });

  test('one click mutes everything for an hour, and deleting the window asks first', async () => {
    const user = await begin();
    const page = await visit('/maintenance', user);
    const before = Date.now();
    await page.press('Mute the team for an hour');
    page.shows(/Alerts are muted until .* UTC\. Runs continue\./);
    const row = page.row('Maintenance');
    row.shows('Active', /ends in (59 min|1 h)/);
    const [window] = await windowsOf(user);
    assert.equal((window?.endsAt ?? 0) - (window?.startsAt ?? 0), HOUR);
    assert.ok((window?.startsAt ?? 0) >= before && window?.covers === 'team');

    const question = await row.press('Delete');
    assert.match(question, /Delete the maintenance window “Maintenance”\?.*It ends at once/);
    page.shows('The maintenance window is deleted.');
    assert.deepEqual(await windowsOf(user), []);
  });

  test('a team with the maximum of windows gets an error for one more', async () => {
    const user = await begin();
    for (let n = 0; n < 200; n++) await createWindow(user, `Window ${n}`);
    const error = 'The team has the maximum of 200 maintenance windows.';
    const visitor = await dashboard.signIn(user);
    await visitor.post('/maintenance', { intent: 'start', source: '' });
    assert.ok(decodeURIComponent(visitor.cookies.get('belfry_toast') ?? '').includes(error));
    const times = { starts_at: '2030-11-23 22:00', ends_at: '2030-11-23 23:00' };
    const form = { name: 'One more', scope: 'team', ...times };
    const { status, text } = await visitor.post('/maintenance/new', form);
    assert.equal(status, 422);
    assert.ok(text.includes(error) && text.includes('value="One more"'));
    assert.equal((await windowsOf(user)).length, 200);
  });

  test('a cron and a queue show their window and can be muted in one click', async () => {
    const user = await begin('member');
    const cronId = await createCron(user, 'Nightly', { alertThreshold: 1 });
    const queueId = await createQueue(user, 'mail');
    const page = await visit(`/crons/${cronId}`, user);
    assert.equal(page.heading, 'Nightly');
    page.lacks('Alerts of this cron are muted');
    await page.press('Mute for an hour');
    page.shows('Alerts of this cron are muted');
    assert.equal(page.path, `/crons/${cronId}`);
    assert.ok(!page.buttons.includes('Mute for an hour'));
    await page.go(`/queues/${queueId}`);
    assert.equal(page.heading, 'mail');
    page.lacks('Alerts of this queue are muted');
    await page.press('Mute for an hour');
    page.shows('Alerts of this queue are muted', 'by the maintenance window “Maintenance”');
    await page.go('/');
    page.shows('by the maintenance windows “Maintenance”. Runs continue.');
    const covers = (await windowsOf(user)).map((window) => window.covers);
    assert.deepEqual(covers, [[{ kind: 'queue', id: queueId }], [{ kind: 'cron', id: cronId }]]);
  });
});

test('a member is offered to mute chosen crons and queues but not the whole team', async () => {
  const user = await begin('member');
  const ours = await createWindow(user, 'Whole team');
  const visitor = await dashboard.signIn(user);
  const list = (await visitor.get('/maintenance')).text;
  assert.doesNotMatch(list, /Mute the team for an hour|>Edit</);
  assert.ok(list.includes('Create window'));
  const form = (await visitor.get('/maintenance/new')).text;
  assert.ok(form.includes('Only an admin can mute the whole team.'));
  assert.doesNotMatch(form, /<input[^>]*value="team"/);
  const edit = (await visitor.get(`/maintenance/${ours}/edit`)).text;
  assert.ok(edit.includes('Only an admin can change it.'));
  assert.doesNotMatch(edit, /name="starts_at"/);
});

test("a window's form shows its times in UTC and in the viewer's time zone, and its search keeps hidden crons ticked", async () => {
  const user = await begin();
  const ids = [];
  for (let n = 0; n < 14; n++) ids.push(await createCron(user, `Cron ${n}`));
  const options = { timezoneId: 'Europe/Berlin', locale: 'en-GB' };
  await using watched = await browser.newPage(options);
  await (await dashboard.signIn(user)).lendTo(watched.context);
  const { page } = watched;
  await page.goto(`${dashboard.url}/maintenance/new?source=cron:${ids[3]}`);
  await page.getByLabel('Starts (UTC)').fill('2030-11-23 22:00');
  await page.getByLabel('Ends (UTC)').fill('2030-11-23 23:30');
  await page.getByText('Sat, 23 Nov 2030, 22:00–23:30 UTC').waitFor();
  const local = 'Sat, 23 Nov 2030, 23:00 – Sun, 24 Nov, 00:30 (Europe/Berlin)';
  await page.getByText(local).waitFor();
  await page.getByLabel('Repeat every week').check();
  await page.getByText(`Next: ${local}`).waitFor();
  const crons = page.getByRole('group', { name: 'Crons' });
  await page.getByLabel('The whole team').check();
  await crons.waitFor({ state: 'hidden' });
  await page.getByLabel('Chosen crons and queues').check();
  assert.equal(await page.getByLabel('Cron 3').isChecked(), true);
  await page.getByLabel('Find a cron or queue').fill('cron 13');
  await page.getByLabel('Cron 3', { exact: true }).waitFor({ state: 'hidden' });
  await page.getByLabel('Cron 13').check();
  await page.getByLabel('Name', { exact: true }).fill('Weekly');
  await press(page, 'Create window');
  await rowOf(page, 'Weekly').getByText(`Next: ${local}`).waitFor();
  await rowOf(page, 'Weekly').getByText('Cron 13, Cron 3').waitFor();
  watched.assertNoFaults();
});
