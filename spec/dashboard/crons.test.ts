import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { A_CRON } from '#testing/factories';
import type { TestUser } from '#testing/dashboard';
import {
  assertClean,
  confirm,
  heading,
  openAdvanced,
  press,
  rowOf,
  usePages,
} from '#testing/pages';
import { eventually } from '#testing/process';

/** What people do with crons (§2.1, §3.1), each in a team of its own, and what must not happen meanwhile. */

const { browser, dashboard, begin, open, target } = usePages();

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

const sentTo = (path: string) => target.requests.filter(({ url }) => url === path);

for (const javaScript of [true, false]) {
  describe(`crons, ${javaScript ? 'with' : 'without'} scripts`, () => {
    const suffix = javaScript ? 'js' : 'plain';

    test('Create cron makes an active cron with every field, and errors lose no input', async () => {
      const user = await begin();
      await using watched = await open('/crons', user, javaScript);
      const { page } = watched;
      await page.getByText('No crons yet').waitFor();
      await page.getByRole('link', { name: 'Create cron' }).first().click();
      await heading(page, 'Create cron');
      await page.getByLabel('Name', { exact: true }).fill('Close the month');
      await page.getByLabel('URL', { exact: true }).fill('nowhere');
      await page.getByLabel('Cron expression').fill('61 * * * *');
      await openAdvanced(page);
      await page.getByLabel('Request timeout').fill('301');
      await page.getByLabel('Alert threshold').selectOption('2');
      if (javaScript) await press(page.locator('main'), 'Add assertion');
      await page.getByLabel('Assertion 1', { exact: true }).selectOption('body_contains');
      await page.getByLabel('Assertion 1, expected').fill('fine');
      await press(page.locator('main'), 'Create cron');
      await page.getByText('The target URL must be a valid URL.').waitFor();
      await page.getByText('The cron expression is not a valid cron expression.').waitFor();
      await page.getByText('Timeout cannot exceed 300 seconds (5 minutes).').waitFor();
      assert.deepEqual(await cronsOf(user), [], 'a refused form makes no cron');
      assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Close the month');
      assert.equal(await page.getByLabel('Assertion 1, expected').inputValue(), 'fine');
      await page.getByLabel('URL', { exact: true }).fill(`${target.url}/close`);
      await page.getByLabel('Cron expression').fill('0 6 29 2 *');
      await page.getByLabel('Request timeout').fill('20');
      await press(page.locator('main'), 'Create cron');
      await heading(page, 'Close the month');
      const [cron] = await cronsOf(user);
      assert.equal(cron?.isActive, true);
      assert.ok((cron.nextRunAt ?? 0) > Date.now());
      assert.equal(cron.alertThreshold, 2);
      assert.equal(cron.timeoutSeconds, 20);
      assert.deepEqual(cron.assertions, [{ kind: 'body_contains', text: 'fine' }]);
      await page.getByText('At 06:00, on day 29 of the month, only in February').first().waitFor();
      await assertClean(watched);
    });

    if (!javaScript) {
      test("Pause stops a cron's schedule and Start resumes it", async () => {
        const user = await begin();
        const { id } = await createCron(user, `/paused-${suffix}`);
        await using watched = await open(`/crons/${id}`, user, javaScript);
        const { page } = watched;
        await press(page.locator('main'), 'Pause');
        await page.getByText('No runs while the cron is paused.').waitFor();
        await page.getByText('The cron is paused: it does not run until you start it.').waitFor();
        const paused = await dashboard.service.work.findCron(user.teamId, id);
        assert.deepEqual([paused?.isActive, paused?.nextRunAt], [false, null]);
        await page.goto(`${dashboard.url}/crons`);
        await rowOf(page, 'Cron of')
          .getByRole('button', { name: /^More actions/ })
          .click();
        await press(rowOf(page, 'Cron of'), 'Start');
        await page.getByText('The cron runs on schedule again.').waitFor();
        const started = await dashboard.service.work.findCron(user.teamId, id);
        assert.equal(started?.isActive, true);
        assert.ok((started.nextRunAt ?? 0) > Date.now());
        assert.equal(sentTo(`/paused-${suffix}`).length, 0, 'neither of them runs it');
        await assertClean(watched);
      });
    }

    if (!javaScript) {
      test('Run now is one additional execution, also of a paused cron', async () => {
        const user = await begin();
        const path = `/now-${suffix}`;
        target.answer(path, { body: 'all is fine' });
        const cron = await createCron(user, path, { isActive: false });
        await using watched = await open(`/crons/${cron.id}`, user, javaScript);
        const { page } = watched;
        await page.getByText('No runs yet').waitFor();
        await press(page.locator('main'), 'Run now');
        await page.getByText('One run has started, in addition to the schedule.').waitFor();
        await eventually(async () => (await runsOf(user, cron.id))[0]?.completedAt);
        await page.reload();
        await rowOf(page, 'all is fine').getByText('Success').waitFor();
        await rowOf(page, 'all is fine').getByText('Run now').waitFor();
        assert.equal(sentTo(path).length, 1);
        const still = await dashboard.service.work.findCron(user.teamId, cron.id);
        assert.deepEqual([still?.isActive, still?.nextRunAt], [false, null]);
        await assertClean(watched);
      });
    }

    test('Delete asks with the consequences and deletes the cron with its runs', async () => {
      const user = await begin();
      const path = `/gone-${suffix}`;
      const { id } = await createCron(user, path);
      const run = await dashboard.service.work.runCronNow(user.teamId, id);
      await eventually(async () => (await runsOf(user, id))[0]?.completedAt);
      await using watched = await open(`/crons/${id}`, user, javaScript);
      const question = await confirm(watched.page, 'Delete');
      assert.match(question, /history of 1 run/);
      await watched.page.getByText('The cron is deleted with its runs.').waitFor();
      assert.deepEqual(await cronsOf(user), []);
      const answer = await watched.page.goto(`${dashboard.url}/executions/${run?.id}`);
      assert.equal(answer?.status(), 404);
    });
  });
}

describe('a cron', () => {
  test('editing a cron masks and keeps its secret headers', async () => {
    const user = await begin();
    const { id } = await createCron(user, '/edited');
    await using watched = await open(`/crons/${id}`, user);
    const { page } = watched;
    assert.equal((await page.content()).includes('s3cret-token'), false);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await heading(page, 'Edit Cron of /edited');
    assert.equal((await page.content()).includes('s3cret-token'), false);
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await page.getByLabel('Header 2 value').fill('off');
    await press(page.locator('main'), 'Save');
    await heading(page, 'Renamed');
    const cron = await dashboard.service.work.findCron(user.teamId, id);
    assert.deepEqual(cron?.headers, [
      ['Authorization', 'Bearer s3cret-token'],
      ['X-Trace', 'off'],
    ]);
    assert.equal(cron.payload, '{"n":1.0}');
    assert.deepEqual(cron.assertions, [{ kind: 'body_contains', text: 'fine' }]);
    await assertClean(watched);
  });

  test("a link that fills in a cron's URL shows the stored URL, too", async () => {
    const user = await begin();
    const cron = await createCron(user, '/linked');
    const edit = (url: string) =>
      open(`/crons/${cron.id}/edit?url=${encodeURIComponent(url)}`, user, false);
    await using linked = await edit('https://evil.example/');
    const url = linked.page.getByLabel('URL', { exact: true });
    assert.equal(await url.inputValue(), 'https://evil.example/');
    const note = `comes from the link that you opened. The stored URL is ${cron.url}. Check it`;
    await linked.page.getByText(note).waitFor();
    await using same = await edit(cron.url);
    assert.equal((await same.page.content()).includes('comes from the link'), false);
  });

  test('duplicating a cron leaves the first unchanged', async () => {
    const user = await begin();
    const first = await createCron(user, '/twice');
    await using watched = await open(`/crons/${first.id}`, user);
    const { page } = watched;
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await heading(page, 'Duplicate cron');
    await openAdvanced(page);
    await page.getByLabel('Active').uncheck();
    await press(page.locator('main'), 'Create cron');
    await press(page.locator('main'), 'Save anyway');
    await heading(page, 'Cron of /twice (copy)');
    const second = (await cronsOf(user)).find(({ id }) => id !== first.id);
    assert.deepEqual([second?.isActive, second?.nextRunAt], [false, null]);
    assert.deepEqual(second?.headers, first.headers);
    assert.deepEqual(await dashboard.service.work.findCron(user.teamId, first.id), first);
    watched.assertNoFaults();
  });

  test('a test run of an unsaved cron is sent once, shown and counted, but not stored', async () => {
    const user = await begin();
    target.answer('/tried', { body: 'not so well' });
    await using watched = await open('/crons/new', user);
    const { page } = watched;
    await page.getByLabel('URL', { exact: true }).fill(`${target.url}/tried`);
    await openAdvanced(page);
    await press(page.locator('main'), 'Add assertion');
    await page.getByLabel('Assertion 1', { exact: true }).selectOption('body_contains');
    await page.getByLabel('Assertion 1, expected').fill('fine');
    await press(page.locator('main'), 'Test run');
    const outcome = page.getByRole('region', { name: 'Test run' });
    await outcome.getByText('Fails').waitFor();
    await outcome.getByText('not so well').first().waitFor();
    assert.equal(sentTo('/tried').length, 1);
    assert.deepEqual(await cronsOf(user), []);
    const { used } = await dashboard.service.people.billing.readUsage(user.teamId);
    assert.equal(used, 1);
    assert.equal(
      await page.getByLabel('URL', { exact: true }).inputValue(),
      `${target.url}/tried`,
      'the form stays as it was',
    );
    await assertClean(watched);
  });

  test('a crontab line fills the form, with a note about the differences', async () => {
    const user = await begin();
    await using watched = await open('/crons/new', user, false);
    const { page } = watched;
    await page.getByText('Import from curl or crontab').click();
    await page.getByLabel('Command').fill('echo hello');
    await press(page.locator('main'), 'Fill the form');
    await page.getByText('There is no curl or wget in this command.').waitFor();
    const line = `*/15 * * * * curl -fsS -H 'X-Key: 1' -d '{"a":1.0}' ${target.url}/pasted >/dev/null`;
    await page.getByLabel('Command').fill(line);
    await press(page.locator('main'), 'Fill the form');
    await page.getByText('A crontab uses its machine’s local time').waitFor();
    assert.equal(await page.getByLabel('Cron expression').inputValue(), '*/15 * * * *');
    assert.equal(
      await page.getByLabel('URL', { exact: true }).inputValue(),
      `${target.url}/pasted`,
    );
    assert.equal(await page.getByLabel('Method').inputValue(), 'POST');
    await page.getByText('Every 15 minutes').waitFor();
    await press(page.locator('main'), 'Create cron');
    await page.getByText('is created.').waitFor();
    const [cron] = await cronsOf(user);
    assert.equal(cron?.payload, '{"a":1.0}');
    assert.ok(cron.headers.some(([name, value]) => name === 'X-Key' && value === '1'));
    assert.equal(sentTo('/pasted').length, 0, 'nothing of it was run');
    await assertClean(watched);
  });

  test('a pasted text that is too long is kept with an error', async () => {
    const user = await begin();
    await using watched = await open('/crons/new', user);
    const { page } = watched;
    const name = page.getByLabel('Name', { exact: true });
    const payload = page.getByLabel('Payload', { exact: true });
    await openAdvanced(page);
    await payload.fill('x'.repeat(300));
    await payload.press('Control+A');
    await payload.press('Control+C');
    await name.press('Control+V');
    assert.equal((await name.inputValue()).length, 300);
    await press(page.locator('main'), 'Create cron');
    await page
      .getByText('The name field must not be greater than 255 characters.')
      .first()
      .waitFor();
    assert.equal((await name.inputValue()).length, 300);
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
    await using watched = await open('/crons?q=cron+of', user);
    const { page } = watched;
    await rowOf(page, '/hay/10').waitFor();
    assert.equal(await rowOf(page, '/needle').count(), 0, 'it stands on the second page');
    await page.getByRole('link', { name: 'Next', exact: true }).click();
    await rowOf(page, '/needle').waitFor();
    await page.locator('main').getByRole('searchbox', { name: 'Search' }).fill('NEEDLE');
    await page.waitForURL(/q=NEEDLE/);
    // The list before was the second page, which had the needle too.
    await rowOf(page, '/hay/64').waitFor({ state: 'detached' });
    await rowOf(page, '/needle').waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
    await page.getByLabel('Health').selectOption('active');
    await page.getByText('No cron matches').waitFor();
    assert.match(page.url(), /q=NEEDLE&status=active/);
    await assertClean(watched);
  });
});
