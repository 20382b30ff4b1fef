import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before } from '#testing/hooks';
import { A_JOB } from '#testing/factories';
import type { TestUser } from '#testing/dashboard';
import { assertClean, confirm, heading, press, rowOf, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** What people do with jobs (§3.2, §3.3), each in a team of its own, and what must not happen meanwhile. */

const { dashboard, open, target } = usePages({ PLANS: 'free=1000,none=0' });
before(async () => {
  target.answer('/broken', { status: 503, body: 'down' });
});

/** A new team with one member, and its queue without retries. */
async function begin(queue: { retrySchedule?: number[] } = {}): Promise<TestUser> {
  const user = await dashboard.newTeam();
  await dashboard.service.work.setQueue(user.teamId, 'mail', { retrySchedule: [], ...queue });
  return user;
}

async function createJob(
  user: TestUser,
  path: string,
  job: { delaySeconds?: number; payloadJson?: string; callbackUrl?: string } = {},
): Promise<string> {
  const { jobId } = await dashboard.service.work.createJob(user.teamId, {
    ...A_JOB,
    url: `${target.url}${path}`,
    ...job,
  });
  return jobId;
}

const read = (user: TestUser, jobId: string) => dashboard.service.work.findJob(user.teamId, jobId);

const settled = (user: TestUser, jobId: string) =>
  eventually(
    async () => {
      const job = await read(user, jobId);
      return job?.completedAt ? job : null;
    },
    { what: 'the job to end' },
  );

const jobsOf = (user: TestUser) => dashboard.service.work.listJobs(user.teamId, { limit: 1000 });
const sentTo = (path: string) => target.requests.filter(({ url }) => url.startsWith(path));

for (const javaScript of [true, false]) {
  describe(`jobs, ${javaScript ? 'with' : 'without'} scripts`, () => {
    const suffix = javaScript ? 'js' : 'plain';

    test('Create job makes a pending job, due after its delay, in a queue that is not paused', async () => {
      const user = await begin();
      await dashboard.service.work.setQueue(user.teamId, 'held', { isPaused: true });
      await using watched = await open('/jobs', user, javaScript);
      const { page } = watched;
      await page.getByText('No jobs yet').waitFor();
      await page.getByRole('link', { name: 'Create job' }).first().click();
      await heading(page, 'Create job');
      const offered = await page
        .getByLabel('Queue', { exact: true })
        .locator('option')
        .allTextContents();
      assert.deepEqual(offered, ['mail']);
      await page.getByLabel('URL', { exact: true }).fill(`${target.url}/created`);
      await page.getByLabel('Delay').fill('90000');
      await page.getByLabel('Payload').fill('{"id": 9007199254740993}');
      await press(page.locator('main'), 'Create job');
      await page.getByText('The delay cannot exceed 86400 seconds (24 hours).').waitFor();
      assert.equal((await jobsOf(user)).length, 0, 'a refused form makes no job');
      assert.equal(await page.getByLabel('Payload').inputValue(), '{"id": 9007199254740993}');
      await page.getByLabel('Delay').fill('600');
      const before = Date.now();
      await press(page.locator('main'), 'Create job');
      await page.getByText('The job is created.').waitFor();
      const [job] = await jobsOf(user);
      assert.equal(job?.status, 'pending');
      assert.equal(job.attemptNumber, 1);
      assert.ok(Math.abs(job.scheduledAt - before - 600_000) < 10_000);
      await page.goto(`${dashboard.url}/jobs?tab=pending`);
      await rowOf(page, '/created').getByText('Pending').waitFor();
      assert.equal(sentTo('/created').length, 0, 'nothing is sent before its time');
      await assertClean(watched);
    });

    if (!javaScript) {
      test('Fire now sends a pending job at once, and only pending jobs have the button', async () => {
        const user = await begin();
        const path = `/fired-${suffix}`;
        const id = await createJob(user, path, { delaySeconds: 3600 });
        await using watched = await open(`/jobs/${id}`, user, javaScript);
        const { page } = watched;
        await press(page.locator('main'), 'Fire now');
        await page.getByText('The job is due now.').waitFor();
        assert.equal((await settled(user, id)).status, 'success');
        await page.goto(`${dashboard.url}/jobs/${id}`);
        await page.locator('main').getByText('Success').first().waitFor();
        assert.equal(await page.getByRole('button', { name: 'Fire now' }).count(), 0);
        const someone = await dashboard.signIn(user);
        await someone.post(`/jobs/${id}`, { intent: 'fire', job: id });
        assert.equal(sentTo(path).length, 1, 'a finished job is not fired again');
        assert.equal((await jobsOf(user)).length, 1);
        watched.assertNoFaults();
      });
    }

    test('Delete removes a pending job, which is never sent', async () => {
      const user = await begin();
      const path = `/deleted-${suffix}`;
      const { work } = dashboard.service;
      const queue = await work.setQueue(user.teamId, 'mail', { isPaused: true });
      const id = await createJob(user, path);
      const kept = await createJob(user, `/kept-${suffix}`);
      await using watched = await open('/jobs?tab=pending', user, javaScript);
      const { page } = watched;
      const question = await confirm(page, 'Delete', rowOf(page, path));
      assert.match(question, /never sent/);
      await page.getByText('The job is deleted.').waitFor();
      assert.equal(await read(user, id), null);
      await work.resumeQueue(user.teamId, queue.id);
      assert.equal((await settled(user, kept)).status, 'success');
      assert.equal(sentTo(path).length, 0);
      watched.assertNoFaults();
    });

    if (!javaScript) {
      test('Retry makes a new job that runs now and leaves the failed one', async () => {
        const user = await begin();
        const callbackUrl = `${target.url}/callback-${suffix}`;
        const id = await createJob(user, '/broken', { payloadJson: '{"a":1.0}', callbackUrl });
        const failed = await settled(user, id);
        assert.equal(failed.status, 'dead_lettered');
        await using watched = await open(`/jobs/${id}`, user, javaScript);
        const { page } = watched;
        await page.getByText('HTTP 503').first().waitFor();
        await press(page.locator('main'), 'Retry');
        await page.getByText('A new job was created.').waitFor();
        const again = (await jobsOf(user)).find((job) => job.id !== id);
        assert.ok(again);
        await settled(user, again.id);
        const [first, second] = [await read(user, id), await read(user, again.id)];
        assert.deepEqual({ ...first, retriedAs: null }, { ...failed, retriedAs: null });
        assert.equal(second?.attemptNumber, 1);
        assert.equal(second.originalId, second.id);
        for (const field of ['url', 'method', 'headers', 'payload', 'callbackUrl'] as const)
          assert.deepEqual(second[field], failed[field], field);
        await page.goto(`${dashboard.url}/jobs?tab=failed`);
        await page.getByText('No failed jobs').or(page.getByRole('row')).first().waitFor();
        await page.goto(`${dashboard.url}/jobs?tab=failed&resent=only`);
        await page.getByRole('link', { name: 'resent', exact: true }).first().waitFor();
        await assertClean(watched);
      });
    }
  });
}

describe('jobs', () => {
  test('Fire (N) fires the ticked jobs, Fire all pending the rest', async () => {
    const user = await begin();
    for (const name of ['a', 'b', 'c', 'd'])
      await createJob(user, `/some/${name}`, { delaySeconds: 3600 });
    await using watched = await open('/jobs?tab=pending', user);
    const { page } = watched;
    for (const name of ['a', 'b']) await rowOf(page, `/some/${name}`).getByRole('checkbox').check();
    await press(page.locator('main'), 'Fire (2)');
    await page.getByText('2 jobs are fired.').waitFor();
    await eventually(() => sentTo('/some/').length === 2);
    const sent = sentTo('/some/').map(({ url }) => url);
    assert.deepEqual(sent.toSorted(), ['/some/a', '/some/b']);
    const question = await confirm(page, 'Fire all pending');
    assert.match(question, /Fire 2 pending jobs\?/);
    await eventually(() => sentTo('/some/').length === 4);
    await assertClean(watched);
  });

  test('a retry waits under Retrying, can be fired and then fails for good', async () => {
    const user = await begin({ retrySchedule: [3600] });
    await createJob(user, '/broken');
    await using watched = await open('/jobs?tab=retrying', user);
    const { page } = watched;
    await eventually(async () => (await jobsOf(user)).some(({ status }) => status === 'retried'));
    await page.reload();
    const row = rowOf(page, '/broken');
    await row.getByText('Retrying').waitFor();
    await press(row, 'Fire now');
    await eventually(async () =>
      (await jobsOf(user)).some(({ status }) => status === 'dead_lettered'),
    );
    await page.goto(`${dashboard.url}/jobs?tab=failed`);
    await rowOf(page, '/broken').getByText('Dead-lettered').waitFor();
    await rowOf(page, '/broken').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    await page.getByText('Retried').waitFor();
    await assertClean(watched);
  });

  test('Retry (N), Retry all failed and Delete all failed act on failed jobs only', async () => {
    const user = await begin();
    const ids = await Promise.all([1, 2, 3].map(() => createJob(user, '/broken')));
    const waiting = await createJob(user, '/later', { delaySeconds: 3600 });
    const done = await createJob(user, '/fine');
    await Promise.all([...ids, done].map((id) => settled(user, id)));
    await using watched = await open('/jobs?tab=failed', user);
    const { page } = watched;
    await page.getByRole('checkbox', { name: 'Select row' }).first().check();
    await press(page.locator('main'), 'Retry (1)');
    await page.getByText('1 job is resent.').waitFor();
    await eventually(async () => (await failedOf(user)) === 4);
    await page.reload();
    const question = await confirm(page, 'Retry all failed');
    assert.match(
      question,
      /Retry 3 failed jobs\?/,
      'one was resent, and what it was resent as failed',
    );
    await eventually(async () => (await failedOf(user)) === 7);
    await page.goto(`${dashboard.url}/jobs?tab=failed&resent=only`);
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    await press(page.locator('main'), 'Retry (4)');
    await page.getByRole('alertdialog', { name: '4 of 4 jobs were resent before.' }).waitFor();
    await assertClean(watched);
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.goto(`${dashboard.url}/jobs?tab=failed`);
    await confirm(page, 'Delete all failed');
    await page.getByText('No failed jobs').waitFor();
    const left = await jobsOf(user);
    const others = left.filter(({ retriedAs }) => retriedAs === null).map(({ id }) => id);
    assert.deepEqual(others.toSorted(), [waiting, done].toSorted());
    assert.equal(left.length - others.length, 4, 'the tab did not show what was resent');
    await page.getByLabel('Resent or not').selectOption('Resent or not');
    const last = await confirm(page, 'Delete all failed');
    assert.match(last, /Delete 4 failed jobs.*4 of them were resent\./s);
    await page.getByText('No job matches').waitFor();
    assert.equal((await jobsOf(user)).length, 2);
    watched.assertNoFaults();
  });

  const failedOf = async (user: TestUser) =>
    (await jobsOf(user)).filter(({ status }) => status === 'dead_lettered').length;

  test('without scripts Fire (N) acts on ticked jobs, or on none', async () => {
    const user = await begin();
    for (const name of ['a', 'b', 'c'])
      await createJob(user, `/plain/${name}`, { delaySeconds: 3600 });
    await using watched = await open('/jobs?tab=pending', user, false);
    const { page } = watched;
    await press(page.locator('main'), 'Fire (selected)');
    await page.getByText('No job is selected. Tick some first.').waitFor();
    assert.equal(sentTo('/plain/').length, 0);
    await rowOf(page, '/plain/b').getByRole('checkbox').check();
    await press(page.locator('main'), 'Fire (selected)');
    await page.getByText('1 job is fired.').waitFor();
    await eventually(() => sentTo('/plain/').length === 1);
    assert.deepEqual(
      sentTo('/plain/').map(({ url }) => url),
      ['/plain/b'],
    );
    await assertClean(watched);
  });

  test('a filter that is being typed keeps the focus and does not navigate back', async () => {
    const user = await begin();
    await using watched = await open('/jobs?payload=abc', user);
    const { page } = watched;
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

  test('jobs are found by id, URL, payload, response, code, queue and time', async () => {
    const user = await begin();
    const [id] = await Promise.all([
      createJob(user, '/needle', { payloadJson: '{"order":"blue"}' }),
      createJob(user, '/broken', { payloadJson: '{"order":"red"}' }),
    ]);
    await settled(user, id);
    const { page: read } = await open('/jobs', user, false);
    const finds = async (query: string, isNeedle: boolean) => {
      await read.goto(`${dashboard.url}/jobs?tab=all&${query}`);
      await rowOf(read, isNeedle ? '/needle' : '/broken').waitFor();
      assert.equal(await rowOf(read, isNeedle ? '/broken' : '/needle').count(), 0, query);
    };
    await finds(`q=${id}`, true);
    await finds(`q=${encodeURIComponent(`${target.url}/need`)}`, true);
    await finds('q=red', false);
    await finds('response=down', false);
    await finds('code=503&reason=http_server_error', false);
    const other = await dashboard.service.work.setQueue(user.teamId, 'other', {});
    const mail = await dashboard.service.work.findQueueByName(user.teamId, 'mail');
    await finds(`queue=${mail?.id}&q=blue`, true);
    const hour = (from: number) =>
      `from=${new Date(from).toISOString().slice(0, 19)}&to=${new Date(from + 3_600_000).toISOString().slice(0, 19)}`;
    await finds(`q=red&${hour(Date.now() - 1_800_000)}`, false);
    for (const nothing of [`queue=${other.id}`, `q=red&${hour(Date.now() + 3_600_000)}`]) {
      await read.goto(`${dashboard.url}/jobs?tab=all&${nothing}`);
      await read.getByText('No job matches').waitFor();
    }
    await using watched = await open('/jobs?tab=all', user);
    const { page } = watched;
    await page.locator('main').getByRole('searchbox', { name: 'Search' }).fill('blue');
    await page.waitForURL(/q=blue/);
    await rowOf(page, '/needle').waitFor();
    await page.goto(`${dashboard.url}/jobs?tab=all&q=red&code=200`);
    await page.getByText('No job matches').waitFor();
    await assertClean(watched);
  });
});
