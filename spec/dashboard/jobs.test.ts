import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before } from '#testing/hooks';
import type { TestUser } from '#testing/dashboard';
import { heading, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** What people do with jobs (§3.2, §3.3), each in a team of its own, and what must not happen meanwhile. */

const { createJob, dashboard, ended, open, sentTo, target, visit } = usePages();
before(async () => {
  target.answer('/broken', { status: 503, body: 'down' });
});

/** A new team with one member, and its queue without retries. */
async function begin(retrySchedule: number[] = []): Promise<TestUser> {
  const user = await dashboard.newTeam();
  await dashboard.service.work.setQueue(user.teamId, 'mail', { retrySchedule });
  return user;
}

const read = (user: TestUser, jobId: string) => dashboard.service.work.findJob(user.teamId, jobId);

const jobsOf = (user: TestUser) => dashboard.service.work.listJobs(user.teamId, { limit: 1000 });

describe('a job', () => {
  test('Create job makes a pending job, due after its delay, in a queue that is not paused', async () => {
    const user = await begin();
    await dashboard.service.work.setQueue(user.teamId, 'held', { isPaused: true });
    const page = await visit('/jobs', user);
    page.shows('No jobs yet');
    await page.follow('Create job');
    assert.equal(page.heading, 'Create job');
    assert.deepEqual(page.options('Queue'), ['mail']);
    page.fill('URL', `${target.url}/created`);
    await page.press('Create job', { Delay: '90000', Payload: '{"id": 9007199254740993}' });
    page.shows('The delay cannot exceed 86400 seconds (24 hours).');
    assert.equal((await jobsOf(user)).length, 0, 'a refused form makes no job');
    assert.equal(page.field('Payload'), '{"id": 9007199254740993}');
    page.fill('Delay', '600');
    const before = Date.now();
    await page.press('Create job');
    page.shows('The job is created.');
    const [job] = await jobsOf(user);
    assert.equal(job?.status, 'pending');
    assert.ok(Math.abs(job.scheduledAt - before - 600_000) < 10_000);
    await page.go('/jobs?tab=pending');
    page.row('/created').shows('Pending');
    assert.equal(sentTo('/created').length, 0, 'nothing is sent before its time');
  });

  test('Retry makes a new job that runs now and leaves the failed one', async () => {
    const user = await begin();
    const callbackUrl = `${target.url}/callback`;
    const id = await createJob(user, '/broken', {
      method: 'PATCH',
      headers: [['X-Bell', 'ding']],
      payloadJson: '{"a":1.0}',
      callbackUrl,
    });
    const failed = await ended(user, id);
    const page = await visit(`/jobs/${id}`, user);
    page.shows('HTTP 503');
    await page.press('Retry');
    page.shows('A new job was created.');
    const again = (await jobsOf(user)).find((job) => job.id !== id);
    assert.ok(again);
    await ended(user, again.id);
    const [first, second] = [await read(user, id), await read(user, again.id)];
    assert.deepEqual({ ...first, retriedAs: null }, { ...failed, retriedAs: null });
    assert.equal(second?.attemptNumber, 1);
    assert.equal(second.originalId, second.id);
    for (const field of ['url', 'method', 'headers', 'payload', 'callbackUrl'] as const)
      assert.deepEqual(second[field], failed[field], field);
    await page.go('/jobs?tab=failed');
    assert.equal(page.all(`main table a[href="/jobs/${id}"]`).length, 0);
  });
});

describe('jobs', () => {
  test('Fire (selected) fires the ticked jobs, Fire all pending the rest', async () => {
    const user = await begin();
    for (const name of ['a', 'b', 'c'])
      await createJob(user, `/some/${name}`, { delaySeconds: 3600 });
    const page = await visit('/jobs?tab=pending', user);
    await page.press('Fire (selected)');
    page.shows('No job is selected. Tick some first.');
    for (const name of ['a', 'b']) page.row(`/some/${name}`).fill('Select', true);
    await page.press('Fire (selected)');
    page.shows('2 jobs are fired.');
    await eventually(() => sentTo('/some/').length === 2);
    assert.equal(sentTo('/some/a').length + sentTo('/some/b').length, 2);
    const question = await page.press('Fire all pending');
    assert.match(question, /Fire 1 pending job\?/);
    await eventually(() => sentTo('/some/').length === 3);
  });

  test('a retry waits under Retrying, can be fired and then fails for good', async () => {
    const user = await begin([3600]);
    await createJob(user, '/broken');
    const page = await visit('/jobs?tab=retrying', user);
    await eventually(async () => (await jobsOf(user)).some(({ status }) => status === 'retried'));
    await page.go(page.path);
    await page.row('/broken').press('Fire now');
    await eventually(async () =>
      (await jobsOf(user)).some(({ status }) => status === 'dead_lettered'),
    );
    await page.go('/jobs?tab=failed');
    await page.row('/broken').follow(/./);
    page.part('h2', 'Attempts');
    page.shows('Retried');
  });

  test('Retry (N), Retry all failed and Delete all failed act on failed jobs only', async () => {
    const user = await begin();
    const ids = await Promise.all([1, 2, 3].map(() => createJob(user, '/broken')));
    const waiting = await createJob(user, '/later', { delaySeconds: 3600 });
    const done = await createJob(user, '/fine');
    await Promise.all([...ids, done].map((id) => ended(user, id)));
    const page = await visit('/jobs?tab=failed', user);
    page.row('/broken').fill('Select', true);
    await page.press('Retry (selected)');
    page.shows('1 job is resent.');
    await eventually(async () => (await failedOf(user)) === 4);
    await page.go(page.path);
    // One was resent, and its new job failed.
    assert.match(await page.press('Retry all failed'), /Retry 3 failed jobs\?/);
    await eventually(async () => (await failedOf(user)) === 7);
    await page.go('/jobs?tab=failed');
    await page.press('Delete all failed');
    page.shows('No failed jobs');
    const left = await jobsOf(user);
    const others = left.filter(({ retriedAs }) => retriedAs === null).map(({ id }) => id);
    assert.deepEqual(others.toSorted(), [waiting, done].toSorted());
    assert.equal(left.length - others.length, 4, 'the tab did not show what was resent');
    await page.press('Apply', { 'Resent or not': 'Resent or not' });
    const last = await page.press('Delete all failed');
    assert.match(last, /Delete 4 failed jobs.*4 of them were resent\./s);
    page.shows('No job matches');
    assert.equal((await jobsOf(user)).length, 2);
  });

  const failedOf = async (user: TestUser) =>
    (await jobsOf(user)).filter(({ status }) => status === 'dead_lettered').length;

  test('a filter applies at once, keeps the focus while it is typed and does not navigate back', async () => {
    const user = await begin();
    await using watched = await open('/jobs?tab=failed&payload=abc', user);
    const { page } = watched;
    await page.getByLabel('Reason').selectOption('timeout');
    await page.waitForURL(/reason=timeout/);
    await page.goto(`${dashboard.url}/jobs?payload=abc`);
    const text = page.getByLabel('Payload contains');
    await text.fill('');
    await page.waitForURL(`${dashboard.url}/jobs`);
    assert.ok(await text.isVisible());
    const focused = 'document.activeElement?.getAttribute("name")';
    assert.equal(await page.evaluate(focused), 'payload');

    const { promise: waited, resolve: release } = Promise.withResolvers<void>();
    await page.route(
      (url) => url.pathname === '/queues.data',
      async (route) => {
        await waited;
        await route.continue();
      },
    );
    await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('Acme');
    await page.getByRole('link', { name: 'Queues', exact: true }).click();
    // Timers of a page run in order, so the one that sends the filter has had its turn.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 400))');
    release();
    await heading(page, 'Queues');
    assert.equal(page.url(), `${dashboard.url}/queues`);
    watched.assertNoFaults();
  });

  test('tabs keep the filters, without the empty ones that a form without scripts sends', async () => {
    const page = await visit('/jobs?tab=all&q=503&queue=&from=', await begin());
    await page.follow(/^Failed/);
    assert.equal(page.path, '/jobs?tab=failed&q=503');
  });
});
