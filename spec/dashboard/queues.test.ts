import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** What people set of queues (§2.3, §3.4, §3.5), each in a team of its own, and what must not happen meanwhile. */

const { begin, createJob, dashboard, ended, sentTo, target, visit } = usePages();

describe('queues', () => {
  test('a queue is created and edited with every setting', async () => {
    const user = await begin();
    const page = await visit('/queues', user);
    page.shows('No queues yet');
    await page.follow('Create queue');
    assert.equal(page.heading, 'Create queue');
    assert.equal(page.field('Retry schedule'), '1m, 30m, 3h');
    assert.equal(page.field('Request timeout'), '30');
    assert.equal(page.field('Dead letter retention'), '14');
    page.fill('Name', 'mail');
    page.fill('Retry schedule', 'now and then');
    await page.press('Create queue', { 'Concurrency limit': '3', Rate: '10 per second' });
    page.shows('The retry schedule must be up to 10 waits');
    assert.deepEqual(await dashboard.service.work.listQueues(user.teamId), []);
    page.fill('Retry schedule', '5s, 1m');
    page.fill('Request timeout', '12');
    page.fill('Dead letter retention', '30');
    page.fill('Enable email alerts for job failures', true);
    page.fill('Overdue for', '10');
    page.fill('Due jobs waiting', '500');
    await page.press('Create queue', { 'Failed attempts in percent': '20', Reminders: '6' });
    assert.equal(page.heading, 'mail');
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
    await dashboard.service.work.pauseQueue(user.teamId, queue.id);
    const paused = await dashboard.service.work.findQueue(user.teamId, queue.id);
    await page.follow('Edit');
    assert.equal(page.heading, 'Edit mail');
    await page.press('Save', { 'Enable automatic retries': false, 'Concurrency limit': '' });
    assert.equal(page.heading, 'mail');
    const edited = await dashboard.service.work.findQueueByName(user.teamId, 'mail');
    assert.deepEqual(edited, { ...paused, retriesEnabled: false, concurrencyLimit: null });
  });
  test('Pause holds due jobs and Enable sends them', async () => {
    const user = await begin();
    const path = '/held';
    await dashboard.service.work.setQueue(user.teamId, 'mail', {});
    const page = await visit('/queues', user);
    await page.row('mail').press('Pause');
    page.shows('The queue “mail” is paused.');
    const id = await createJob(user, path);
    await delay(300);
    assert.equal(sentTo(path).length, 0);
    const waiting = await dashboard.service.work.findJob(user.teamId, id);
    assert.equal(waiting?.status, 'pending');
    await page.go('/jobs/new');
    assert.ok(!page.options('Queue').includes('mail'), 'a paused queue is not offered');
    await page.go('/queues');
    page.row('mail').shows('Paused');
    await page.row('mail').press('Enable');
    page.shows('The queue “mail” is enabled.');
    await eventually(() => sentTo(path).length === 1);
    const sent = await dashboard.service.work.findJob(user.teamId, id);
    assert.equal(sent?.scheduledAt, waiting.scheduledAt, 'its time stays');
  });

  test('Delete asks with the consequences, and waiting jobs are never sent', async () => {
    const user = await begin();
    const path = '/never';
    await ended(user, await createJob(user, '/before'));
    const { work } = dashboard.service;
    const queue = await work.setQueue(user.teamId, 'mail', { isPaused: true });
    await createJob(user, path);
    const page = await visit(`/queues/${queue.id}`, user);
    const question = await page.press('Delete');
    const words = /1 waiting job is never sent, and 1 finished job is deleted with it\./;
    assert.match(question, words);
    page.shows('The queue is deleted, and 2 jobs with it.');
    assert.deepEqual(await work.listJobs(user.teamId, { limit: 10 }), []);
    await createJob(user, '/after');
    await eventually(() => sentTo('/after').length === 1);
    assert.equal(sentTo(path).length, 0);
  });
});

describe('a queue', () => {
  test('a test run of an unsaved queue evaluates its assertions and makes no job', async () => {
    const user = await begin();
    target.answer('/tried', { body: 'not so well' });
    const page = await visit('/queues/new', user);
    page.fill('Assertion 1', 'body_contains');
    await page.press('Test run', { 'Assertion 1, expected': 'fine' });
    page.shows('Enter the URL that the request goes to.');
    await page.press('Test run', { 'Test URL': `${target.url}/tried` });
    page.part('[aria-label="Test run"]').shows('Fails');
    assert.equal(sentTo('/tried').length, 1);
    assert.deepEqual(await dashboard.service.work.listQueues(user.teamId), []);
    assert.deepEqual(await dashboard.service.work.listJobs(user.teamId, { limit: 10 }), []);
  });

  test('creating a queue with an existing name does not change it', async () => {
    const user = await begin();
    const queue = await dashboard.service.work.setQueue(user.teamId, 'mail', {
      concurrencyLimit: 7,
    });
    const page = await visit('/queues/new', user);
    await page.press('Create queue', { Name: 'mail' });
    page.shows('There is a queue of that name already.');
    assert.deepEqual(await dashboard.service.work.listQueues(user.teamId), [queue]);
  });
});
