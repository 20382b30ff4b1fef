import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { before } from '#testing/hooks';
import { A_CRON, A_JOB } from '#testing/factories';
import type { TestUser } from '#testing/dashboard';
import { assertClean, heading, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** What a team sees first: what fails now, what is next, what has just happened, and nothing of others. */

const { dashboard, open, target } = usePages();
before(() => target.answer('/down', { status: 503 }));

const panel = (page: Page, title: string) =>
  page.locator('section', {
    has: page.getByRole('heading', { level: 2, name: title, exact: true }),
  });

async function runFailingCron(user: TestUser): Promise<void> {
  const { work } = dashboard.service;
  const cron = await work.createCron(user.teamId, {
    ...A_CRON,
    name: 'Close the month',
    url: `${target.url}/down`,
    timeoutSeconds: 5,
  });
  await work.runCronNow(user.teamId, cron.id);
  await eventually(async () => {
    const [run] = await work.listExecutions(user.teamId, cron.id, 1);
    return run?.completedAt;
  });
}

/** Its only job fails for good. */
async function runFailingQueue(user: TestUser): Promise<void> {
  const { work } = dashboard.service;
  await work.setQueue(user.teamId, 'orders', { retriesEnabled: false });
  await createJob(user, '/down', 0, 'orders');
  await eventually(async () => (await work.readAttention(user.teamId)).failedJobs === 1);
}

const createJob = (user: TestUser, path: string, delaySeconds: number, queue = 'mail') =>
  dashboard.service.work.createJob(user.teamId, {
    ...A_JOB,
    queue,
    url: `${target.url}${path}`,
    delaySeconds,
  });

describe('the overview', () => {
  test('the overview shows failures, next runs and latest runs', async () => {
    const user = await dashboard.user('ada@bells.test', {
      team: 'Bells',
    });
    const outsider = await dashboard.user('eve@x.test', { team: 'X' });
    await createJob(user, '/later', 3600);
    await createJob(user, '/done', 0);
    await runFailingCron(user);
    await runFailingQueue(user);
    await eventually(async () => {
      const jobs = await dashboard.service.work.listJobs(user.teamId, { limit: 10 });
      return jobs.some(({ status }) => status === 'success');
    });
    await using watched = await open('/', user, false);
    const { page } = watched;
    const needs = panel(page, 'Needs attention').getByRole('listitem');
    const rowOf = async (name: string) => needs.filter({ hasText: name }).textContent();
    assert.match(
      (await rowOf('Close the month')) ?? '',
      /Failing1 of 1Close the month cronHTTP 503since .*Mute for an hour/,
    );
    assert.match((await rowOf('orders')) ?? '', /Failing1 of 1orders queueHTTP 503 error.*Retry 1/);
    await needs.getByText('1 job failed (no retries left)').waitFor();
    const { text } = await (await dashboard.signIn(user)).get('/');
    for (const name of ['Crons', 'Queues'])
      assert.match(text, new RegExp(`>${name}</span><span[^>]*>1<span[^>]*> (<!-- -->)?failing<`));
    await panel(page, 'Next up').getByText('Close the month').waitFor();
    await panel(page, 'Next up').getByText('/later').first().waitFor();
    await panel(page, 'Just happened').getByText('/done').first().waitFor();
    const hours = page.getByRole('list', { name: /Runs per hour/ });
    assert.equal(await hours.getByRole('listitem').count(), 24);
    const figures = await panel(page, 'Last 24 hours').textContent();
    // Of three runs one succeeded.
    assert.match(figures ?? '', /Success rate33.3 %33.3 % in 7 d/);
    assert.match(figures ?? '', /Runs an hour3/);
    assert.match(figures ?? '', /Median duration[\d.]+ ms/);
    assert.match(figures ?? '', /Oldest waitingnone/);
    await assertClean(watched);
    const elsewhere = await (await dashboard.signIn(outsider)).get('/');
    assert.equal(elsewhere.text.includes(target.url), false);
    assert.equal(elsewhere.text.includes('Close the month'), false);
  });

  test('a bar and its table row link to the runs of that hour', async () => {
    const user = await dashboard.user('bars@bells.test', { team: 'Bars' });
    await createJob(user, '/counted', 0);
    await runFailingCron(user);
    await eventually(async () => {
      const jobs = await dashboard.service.work.listJobs(user.teamId, { limit: 10 });
      return jobs.some(({ status }) => status === 'success');
    });
    await using watched = await open('/', user, false);
    const { page } = watched;
    const hour = page
      .getByRole('list', { name: /Runs per hour/ })
      .getByRole('link')
      .last();
    assert.match((await hour.getAttribute('aria-label')) ?? '', /Success 1, Retried 0, Failed 1/);
    assert.equal(await hour.getAttribute('tabindex'), '-1', 'Tab reaches the table alone');
    await page.getByText('Show as a table').first().click();
    const row = page
      .getByRole('table', { name: /Runs per hour/ })
      .getByRole('link')
      .last();
    assert.equal(await row.getAttribute('href'), await hour.getAttribute('href'));
    await row.click();
    await heading(page, 'Runs');
    const runs = page.getByRole('table', { name: 'Runs' });
    await runs.getByText('/counted').first().waitFor();
    await runs.getByText('Close the month').waitFor();
    await assertClean(watched);
    const outsider = await dashboard.user('barless@x.test', { team: 'Barless' });
    const visitor = await dashboard.signIn(outsider);
    const elsewhere = await visitor.get(`/runs${new URL(page.url()).search}`);
    assert.match(elsewhere.text, /No run matches/);
  });
});
