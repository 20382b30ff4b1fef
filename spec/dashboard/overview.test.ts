import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startBrowser, type TestBrowser } from '#testing/browser';
import { startDashboard, type TestDashboard, type TestUser } from '#testing/dashboard';
import { assertClean, openPage } from '#testing/pages';
import { eventually } from '#testing/process';
import { startReceiver, type Receiver } from '#testing/receiver';

/** What a team sees first: what fails now, what is next, what has just happened, and nothing of others. */

let browser: TestBrowser;
let dashboard: TestDashboard;
let target: Receiver;

before(async () => {
  [browser, dashboard, target] = await Promise.all([
    startBrowser(),
    startDashboard(),
    startReceiver(),
  ]);
  target.answer('/down', { status: 503 });
});
after(async () => {
  await browser.close();
  await dashboard[Symbol.asyncDispose]();
  await target.close();
});

const panel = (title: string) => `section:has(> header h2:text-is("${title}"))`;

async function runFailingCron(user: TestUser): Promise<void> {
  const { work } = dashboard.service;
  const cron = await work.createCron(user.teamId, {
    name: 'Close the month',
    url: `${target.url}/down`,
    cronExpression: '0 0 29 2 *',
    method: 'POST',
    headers: [],
    payload: null,
    callbackUrl: null,
    timeoutSeconds: 5,
    alertThreshold: null,
    isActive: true,
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
  await eventually(async () => (await work.readPulse(user.teamId)).failedJobs === 1);
}

const createJob = (user: TestUser, path: string, delaySeconds: number, queue = 'mail') =>
  dashboard.service.work.createJob(user.teamId, {
    queue,
    url: `${target.url}${path}`,
    method: 'POST',
    headers: [],
    payloadJson: null,
    callbackUrl: null,
    delaySeconds,
  });

describe('the overview', () => {
  for (const javaScript of [true, false]) {
    test(`shows what fails, what is next and what was, ${javaScript ? 'with' : 'without'} scripts`, async () => {
      const user = await dashboard.user(`ada${javaScript}@bells.test`, {
        team: `Bells ${javaScript}`,
      });
      const stranger = await dashboard.user(`eve${javaScript}@x.test`, { team: `X ${javaScript}` });
      await createJob(user, '/later', 3600);
      await createJob(user, '/done', 0);
      await runFailingCron(user);
      await runFailingQueue(user);
      await eventually(async () => {
        const jobs = await dashboard.service.work.listJobs(user.teamId, { limit: 10 });
        return jobs.some(({ status }) => status === 'success');
      });
      await using watched = await openPage({ browser, dashboard }, '/', { user, javaScript });
      const { page } = watched;
      await page.locator(panel('Failing now')).getByText('Close the month').waitFor();
      const row = page
        .locator(panel('Failing now'))
        .getByRole('listitem')
        .filter({ hasText: 'orders' });
      assert.match((await row.textContent()) ?? '', /^.?\s*Failed/);
      assert.doesNotMatch((await row.textContent()) ?? '', /Idle/, 'nothing runs, and it fails');
      await page.locator(panel('Next up')).getByText('Close the month').waitFor();
      await page.locator(panel('Next up')).getByText('/later').first().waitFor();
      await page.locator(panel('Just happened')).getByText('/done').first().waitFor();
      await page.getByText('1 cron failed in the last run').waitFor();
      await page.getByRole('img', { name: /Runs per hour/ }).waitFor();
      await assertClean(watched);
      const elsewhere = await (await dashboard.signIn(stranger)).get('/');
      assert.equal(elsewhere.text.includes(target.url), false);
      assert.equal(elsewhere.text.includes('Close the month'), false);
    });
  }
});
