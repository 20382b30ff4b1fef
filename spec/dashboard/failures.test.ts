import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before } from '#testing/hooks';
import { A_JOB } from '#testing/factories';
import type { TestUser } from '#testing/dashboard';
import { assertClean, confirm, openPage, rowOf, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** Failed jobs by their cause (§2.7, §3.2): retried or deleted together, and nothing beside them. */

const { browser, dashboard, target } = usePages();
before(async () => {
  target.answer('/down', { status: 503, body: 'try later' });
  target.answer('/gone', { status: 404 });
});

async function begin(): Promise<TestUser> {
  const user = await dashboard.newTeam();
  await dashboard.service.work.setQueue(user.teamId, 'mail', { retrySchedule: [] });
  return user;
}

async function failJobs(user: TestUser, paths: readonly string[]): Promise<void> {
  for (const path of paths)
    await dashboard.service.work.createJob(user.teamId, {
      ...A_JOB,
      url: `${target.url}${path}`,
    });
  await eventually(async () => (await failed(user)).length === paths.length);
}

async function failed(user: TestUser, path = ''): Promise<string[]> {
  const jobs = await dashboard.service.work.listJobs(user.teamId, { limit: 1000 });
  return jobs
    .filter(({ status, url }) => status === 'dead_lettered' && url.includes(path))
    .map(({ id }) => id);
}

for (const javaScript of [true, false]) {
  describe(`failures, ${javaScript ? 'with' : 'without'} scripts`, () => {
    const open = (path: string, user: TestUser) =>
      openPage({ browser, dashboard }, path, { user, javaScript });

    test('failures are grouped by reason, target and code, ignoring the query', async () => {
      const user = await begin();
      await using watched = await open('/failures', user);
      const { page } = watched;
      await page.getByText('No failed jobs').waitFor();
      await failJobs(user, ['/down?n=1', '/down?n=2', '/gone']);
      await page.reload();
      const down = rowOf(page, '/down');
      await down.getByText('HTTP server error, 503').waitFor();
      await down.getByText('try later').waitFor();
      await down.getByRole('link', { name: 'mail' }).waitFor();
      await down.getByRole('link', { name: '2', exact: true }).waitFor();
      await rowOf(page, '/gone').getByText('HTTP client error, 404').waitFor();
      await assertClean(watched);
      await down.getByRole('link', { name: '2', exact: true }).click();
      await rowOf(page, '/down?n=1').waitFor();
      assert.equal(await rowOf(page, '/gone').count(), 0);
      watched.assertNoFaults();
    });

    if (!javaScript) {
      test('retrying a group makes new jobs and keeps the failed ones', async () => {
        const user = await begin();
        await failJobs(user, ['/down?n=1', '/down?n=2', '/gone']);
        await using watched = await open('/failures', user);
        const { page } = watched;
        const before = await failed(user);
        const question = await confirm(page, 'Retry', rowOf(page, '/down'));
        assert.match(question, /Retry 2 failed jobs\?/);
        await page.getByText('2 jobs are resent.').waitFor();
        await eventually(async () => (await failed(user, '/down')).length === 4);
        const after = await failed(user);
        assert.ok(before.every((id) => after.includes(id)));
        assert.equal((await failed(user, '/gone')).length, 1);
        watched.assertNoFaults();
      });
    }

    test('a group of redirects is sent to the new URL, each job with its own query', async () => {
      const user = await begin();
      const moved = `/moved-${javaScript}`;
      target.answer('/old', ({ url }) => {
        const location = `${target.url}${moved}${url.slice('/old'.length)}`;
        return { status: 308, headers: { location } };
      });
      const sent = () => target.requests.map(({ url }) => url).filter((url) => url.includes(moved));
      await failJobs(user, ['/old?n=1', '/old?n=2', '/gone']);
      await using watched = await open('/failures', user);
      const { page } = watched;
      assert.equal(await rowOf(page, '/gone').getByText('Use this URL').count(), 0);
      const question = await confirm(page, 'Use this URL', rowOf(page, '/old'));
      assert.ok(question.includes(`${target.url}${moved}`), question);
      await page.getByText('2 jobs are resent.').waitFor();
      await eventually(() => sent().length === 2);
      assert.deepEqual(sent().toSorted(), [`${moved}?n=1`, `${moved}?n=2`]);
      assert.equal(await rowOf(page, '/old').count(), 0, 'none of them is left');
      watched.assertNoFaults();
    });

    test('deleting a group deletes its jobs only', async () => {
      const user = await begin();
      await failJobs(user, ['/down?n=1', '/down?n=2', '/gone']);
      await using watched = await open('/failures', user);
      const { page } = watched;
      await confirm(page, 'Delete', rowOf(page, '/down'));
      await page.getByText('2 jobs are deleted.').waitFor();
      assert.deepEqual([(await failed(user, '/down')).length, (await failed(user)).length], [0, 1]);
      watched.assertNoFaults();
    });
  });
}
