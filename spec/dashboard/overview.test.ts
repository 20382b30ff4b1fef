import assert from 'node:assert/strict';
import { test } from 'node:test';
import { before } from '#testing/hooks';
import type { TestUser } from '#testing/dashboard';
import { usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** What a team sees first: what fails now, what is next, what has just happened, and nothing of others. */

const { createCron, createJob, dashboard, ended, target, visit } = usePages();
before(() => target.answer('/down', { status: 503 }));

async function runFailingCron(user: TestUser): Promise<void> {
  const { work } = dashboard.service;
  const id = await createCron(user, 'Close the month', { path: '/down' });
  await work.runCronNow(user.teamId, id);
  await eventually(async () => {
    const [run] = await work.listExecutions(user.teamId, id, 1);
    return run?.completedAt;
  });
}

/** Its only job fails for good. */
async function runFailingQueue(user: TestUser): Promise<void> {
  const { work } = dashboard.service;
  await work.setQueue(user.teamId, 'orders', { retriesEnabled: false });
  await createJob(user, '/down', { queue: 'orders' });
  await eventually(async () => (await work.readAttention(user.teamId)).failedJobs === 1);
}

test('the overview shows failures, next runs and latest runs', async () => {
  const user = await dashboard.user('ada@bells.test', {
    team: 'Bells',
  });
  const outsider = await dashboard.user('eve@x.test', { team: 'X' });
  await createJob(user, '/later', { delaySeconds: 3600 });
  await ended(user, await createJob(user, '/done'));
  await runFailingCron(user);
  await runFailingQueue(user);
  const page = await visit('/', user);
  const needs = page.part('section', 'Needs attention');
  needs
    .part('li', 'Close the month')
    .shows(/Failing1 of 1Close the month cronHTTP 503since .*Mute for an hour/);
  needs.part('li', 'orders').shows(/Failing1 of 1orders queueHTTP 503 error.*Retry 1/);
  needs.shows('1 job failed (no retries left)');
  for (const name of ['Crons', 'Queues']) page.part('nav a', name).shows('1 failing');
  page.part('section', 'Next up').shows('Close the month', '/later');
  page.part('section', 'Just happened').shows('/done');
  assert.equal(page.part('figure', 'Runs per hour').all('ol > li').length, 24);
  page.part('section', 'Last 24 hours and now').shows(
    // Of three runs one succeeded.
    /Success rate33.3 %33.3 % in 7 d/,
    /Runs an hour3/,
    /Median duration[\d.]+ ms/,
    /Oldest waitingnone/,
  );
  const { html } = await visit('/', outsider);
  assert.ok(!html.includes(target.url) && !html.includes('Close the month'));
});
