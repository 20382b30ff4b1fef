import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { A_JOB } from '#testing/factories';
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

/** What people set of queues (§2.3, §3.4, §3.5), each in a team of its own, and what must not happen meanwhile. */

const { dashboard, begin, open, target } = usePages();

async function createJob(user: TestUser, path: string, delaySeconds = 0): Promise<string> {
  const { jobId } = await dashboard.service.work.createJob(user.teamId, {
    ...A_JOB,
    url: `${target.url}${path}`,
    delaySeconds,
  });
  return jobId;
}

const sentTo = (path: string) => target.requests.filter(({ url }) => url === path).length;

for (const javaScript of [true, false]) {
  describe(`queues, ${javaScript ? 'with' : 'without'} scripts`, () => {
    test('a queue is created and edited with every setting', async () => {
      const user = await begin();
      await using watched = await open('/queues', user, javaScript);
      const { page } = watched;
      await page.getByText('No queues yet').waitFor();
      await page.getByRole('link', { name: 'Create queue' }).first().click();
      await heading(page, 'Create queue');
      assert.equal(await page.getByLabel('Retry schedule').inputValue(), '1m, 30m, 3h');
      await openAdvanced(page);
      assert.equal(await page.getByLabel('Request timeout').inputValue(), '30');
      assert.equal(await page.getByLabel('Dead letter retention').inputValue(), '14');
      await page.getByLabel('Name', { exact: true }).fill('mail');
      await page.getByLabel('Retry schedule').fill('now and then');
      await page.getByLabel('Concurrency limit').fill('3');
      await page.getByLabel('Rate', { exact: true }).fill('10 per second');
      await press(page.locator('main'), 'Create queue');
      await page.getByText('The retry schedule must be up to 10 waits').waitFor();
      assert.deepEqual(await dashboard.service.work.listQueues(user.teamId), []);
      await page.getByLabel('Retry schedule').fill('5s, 1m');
      await openAdvanced(page);
      await page.getByLabel('Request timeout').fill('12');
      await page.getByLabel('Dead letter retention').fill('30');
      await page.getByLabel('Enable email alerts for job failures').check();
      await page.getByLabel('Overdue for').fill('10');
      await page.getByLabel('Due jobs waiting').fill('500');
      await page.getByLabel('Failed attempts in percent').fill('20');
      await page.getByLabel('Reminders').selectOption('6');
      await press(page.locator('main'), 'Create queue');
      await heading(page, 'mail');
      const queue = await dashboard.service.work.findQueueByName(user.teamId, 'mail');
      const { retrySchedule, timeoutSeconds, concurrencyLimit, deadLetterDays } = queue ?? {};
      assert.deepEqual(
        { retrySchedule, timeoutSeconds, concurrencyLimit, deadLetterDays },
        { retrySchedule: [5, 60], timeoutSeconds: 12, concurrencyLimit: 3, deadLetterDays: 30 },
      );
      assert.equal(queue?.emailAlerts, true);
      assert.equal(queue.alertSettings.remindHours, 6);
      assert.deepEqual(queue.watch, {
        backlog: { minutes: 10, jobs: 500, pausedHours: null },
        failureRate: { percent: 20, attempts: 50 },
      });
      assert.deepEqual(queue.rate, { count: 10, per: 'second' });
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await heading(page, 'Edit mail');
      await page.getByLabel('Enable automatic retries').uncheck();
      await page.getByLabel('Concurrency limit').fill('');
      await press(page.locator('main'), 'Save');
      await heading(page, 'mail');
      const edited = await dashboard.service.work.findQueueByName(user.teamId, 'mail');
      assert.deepEqual(edited, { ...queue, retriesEnabled: false, concurrencyLimit: null });
      await assertClean(watched);
    });

    if (!javaScript) {
      test('Pause holds due jobs and Enable sends them', async () => {
        const user = await begin();
        const path = `/held-${javaScript}`;
        await dashboard.service.work.setQueue(user.teamId, 'mail', {});
        await using watched = await open('/queues', user, javaScript);
        const { page } = watched;
        await press(rowOf(page, 'mail'), 'Pause');
        await page.getByText('The queue “mail” is paused.').waitFor();
        const id = await createJob(user, path);
        await delay(300);
        assert.equal(sentTo(path), 0);
        const waiting = await dashboard.service.work.findJob(user.teamId, id);
        assert.equal(waiting?.status, 'pending');
        await page.goto(`${dashboard.url}/jobs/new`);
        assert.equal(
          await page.getByRole('option', { name: 'mail' }).count(),
          0,
          'a paused queue is not offered',
        );
        await page.goto(`${dashboard.url}/queues`);
        await rowOf(page, 'mail').getByText('Paused').waitFor();
        await press(rowOf(page, 'mail'), 'Enable');
        await page.getByText('The queue “mail” is enabled.').waitFor();
        await eventually(() => sentTo(path) === 1);
        const sent = await dashboard.service.work.findJob(user.teamId, id);
        assert.equal(sent?.scheduledAt, waiting.scheduledAt, 'its time stays');
        await assertClean(watched);
      });

      test("Pause and Enable on the queue's page do the same", async () => {
        const user = await begin();
        const { work } = dashboard.service;
        const { id } = await work.setQueue(user.teamId, 'mail', {});
        await using watched = await open(`/queues/${id}`, user, javaScript);
        const { page } = watched;
        const main = page.locator('main');
        for (const [word, other] of [
          ['Pause', 'Enable'],
          ['Enable', 'Pause'],
        ] as const) {
          assert.equal(await main.getByRole('button', { name: other, exact: true }).count(), 0);
          await press(main, word);
          await main.getByRole('button', { name: other, exact: true }).waitFor();
          const row = await work.readQueueRow(user.teamId, id);
          assert.equal(row?.queue.isPaused, word === 'Pause');
        }
        await assertClean(watched);
      });
    }

    test('Delete asks with the consequences, and waiting jobs are never sent', async () => {
      const user = await begin();
      const path = `/never-${javaScript}`;
      await createJob(user, `/before-${javaScript}`);
      await eventually(() => sentTo(`/before-${javaScript}`) === 1);
      const { work } = dashboard.service;
      const queue = await work.setQueue(user.teamId, 'mail', { isPaused: true });
      await createJob(user, path);
      await using watched = await open(`/queues/${queue.id}`, user, javaScript);
      const { page } = watched;
      const question = await confirm(page, 'Delete');
      const words = /1 waiting job is never sent, and 1 finished job is deleted with it\./;
      assert.match(question, words);
      await page.getByText('The queue is deleted, and 2 jobs with it.').waitFor();
      assert.deepEqual(await work.listJobs(user.teamId, { limit: 10 }), []);
      await createJob(user, `/after-${javaScript}`);
      await eventually(() => sentTo(`/after-${javaScript}`) === 1);
      assert.equal(sentTo(path), 0);
      watched.assertNoFaults();
    });
  });
}

describe('the list of queues', () => {
  test('the list of queues shows fifty a page and can be searched by name', async () => {
    const user = await begin();
    const { work } = dashboard.service;
    for (let n = 100; n < 160; n++) await work.setQueue(user.teamId, `queue ${n}`, {});
    await using watched = await open('/queues', user, false);
    const { page } = watched;
    await heading(page, 'Queues');
    await page.getByText('queue 149', { exact: true }).waitFor();
    assert.equal(await page.getByText('queue 150', { exact: true }).count(), 0);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('queue 159', { exact: true }).waitFor();
    assert.equal(await page.getByText('queue 149', { exact: true }).count(), 0);
    await page.getByRole('link', { name: 'First' }).click();
    await page.getByText('queue 100', { exact: true }).waitFor();
    await page.goto(`${dashboard.url}/queues?q=QUEUE%20157`);
    await page.getByText('queue 157', { exact: true }).waitFor();
    assert.equal(await page.getByText('queue 100', { exact: true }).count(), 0);
    await page.goto(`${dashboard.url}/queues?q=nothing`);
    await page.getByText('No queue matches').waitFor();
    await assertClean(watched);
  });
});

describe('a queue', () => {
  test('a test run of an unsaved queue evaluates its assertions and makes no job', async () => {
    const user = await begin();
    target.answer('/tried', { body: 'not so well' });
    await using watched = await open('/queues/new', user);
    const { page } = watched;
    await openAdvanced(page);
    await press(page.locator('main'), 'Add assertion');
    await page.getByLabel('Assertion 1', { exact: true }).selectOption('body_contains');
    await page.getByLabel('Assertion 1, expected').fill('fine');
    await press(page.locator('main'), 'Test run');
    await page.getByText('Enter the URL that the request goes to.').waitFor();
    await page.getByLabel('Test URL').fill(`${target.url}/tried`);
    await press(page.locator('main'), 'Test run');
    await page.getByRole('region', { name: 'Test run' }).getByText('Fails').waitFor();
    assert.equal(sentTo('/tried'), 1);
    assert.deepEqual(await dashboard.service.work.listQueues(user.teamId), []);
    assert.deepEqual(await dashboard.service.work.listJobs(user.teamId, { limit: 10 }), []);
    await assertClean(watched);
  });

  test('creating a queue with an existing name does not change it', async () => {
    const user = await begin();
    const queue = await dashboard.service.work.setQueue(user.teamId, 'mail', {
      concurrencyLimit: 7,
    });
    await using watched = await open('/queues/new', user);
    const { page } = watched;
    await page.getByLabel('Name', { exact: true }).fill('mail');
    await press(page.locator('main'), 'Create queue');
    await page.getByText('There is a queue of that name already.').waitFor();
    assert.deepEqual(await dashboard.service.work.listQueues(user.teamId), [queue]);
  });
});
