import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before } from '#testing/hooks';
import type { TestUser } from '#testing/dashboard';
import { usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** Failed jobs by their cause (§2.7, §3.2): retried or deleted together, and nothing beside them. */

const { createJob, dashboard, target, visit } = usePages();
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
  for (const path of paths) await createJob(user, path);
  await eventually(async () => (await failed(user)).length === paths.length);
}

async function failed(user: TestUser, path = ''): Promise<string[]> {
  const jobs = await dashboard.service.work.listJobs(user.teamId, { limit: 1000 });
  return jobs
    .filter(({ status, url }) => status === 'dead_lettered' && url.includes(path))
    .map(({ id }) => id);
}

describe('failures', () => {
  test('failures are grouped by reason, target and code, ignoring the query', async () => {
    const user = await begin();
    const page = await visit('/failures', user);
    page.shows('No failed jobs');
    await failJobs(user, ['/down?n=1', '/down?n=2', '/gone']);
    await page.go(page.path);
    const down = page.row('/down');
    down.shows('HTTP server error, 503', 'try later');
    assert.ok(down.links.includes('mail'));
    page.row('/gone').shows('HTTP client error, 404');
    await down.follow('2');
    page.row('/down?n=1');
    page.lacks('/gone');
  });

  test('retrying a group makes new jobs and keeps the failed ones', async () => {
    const user = await begin();
    await failJobs(user, ['/down?n=1', '/down?n=2', '/gone']);
    const page = await visit('/failures', user);
    const before = await failed(user);
    const question = await page.row('/down').press('Retry');
    assert.match(question, /Retry 2 failed jobs\?/);
    page.shows('2 jobs are resent.');
    await eventually(async () => (await failed(user, '/down')).length === 4);
    const after = await failed(user);
    assert.ok(before.every((id) => after.includes(id)));
    assert.equal((await failed(user, '/gone')).length, 1);
  });

  test('a group of redirects is sent to the new URL, each job with its own query', async () => {
    const user = await begin();
    const moved = '/moved';
    target.answer('/old', ({ url }) => {
      const location = `${target.url}${moved}${url.slice('/old'.length)}`;
      return { status: 308, headers: { location } };
    });
    const sent = () => target.requests.map(({ url }) => url).filter((url) => url.includes(moved));
    await failJobs(user, ['/old?n=1', '/old?n=2', '/gone']);
    const page = await visit('/failures', user);
    page.row('/gone').lacks('Use this URL');
    const question = await page.row('/old').press('Use this URL');
    assert.ok(question.includes(`${target.url}${moved}`), question);
    page.shows('2 jobs are resent.');
    await eventually(() => sent().length === 2);
    assert.deepEqual(sent().toSorted(), [`${moved}?n=1`, `${moved}?n=2`]);
    page.lacks('/old');
  });
});
