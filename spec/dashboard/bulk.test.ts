import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestUser } from '#testing/dashboard';
import { fillJobs } from '#testing/fill';
import { assertClean, confirm, openPage, press, usePages } from '#testing/pages';
import { endRuns } from '#testing/run-rows';

/** Retrying and deleting more than a page shows (§3.2): followed while it goes on, stopped half-way. */

// Nothing is worked through until a test says so.
const { browser, dashboard } = usePages({}, { sends: false });

const COUNT = 300;

/** A team with that many failed jobs. */
async function begin(): Promise<TestUser> {
  const user = await dashboard.newTeam();
  const { work, store } = dashboard.service;
  const { id } = await work.setQueue(user.teamId, 'mail', {});
  const failed = {
    team_id: user.teamId,
    queue_id: id,
    status: 'dead_lettered',
    completed_at: Date.now() - 60_000,
    created_at: Date.now() - 120_000,
    reason: 'timeout',
  };
  await fillJobs(
    store,
    Array.from({ length: COUNT }, () => failed),
  );
  return user;
}

const countsOf = async ({ teamId }: TestUser) => {
  const { failed, resent, pending } = await dashboard.service.work.countTabs(teamId);
  return { failed: failed.count, resent: resent.count, pending: pending.count };
};

const workThrough = () => dashboard.service.bulkRunner.runOpen();

for (const javaScript of [true, false]) {
  describe(`a bulk action, ${javaScript ? 'with' : 'without'} scripts`, () => {
    const open = (path: string, user: TestUser) =>
      openPage({ browser, dashboard }, path, { user, javaScript });

    test('a bulk action shows its progress and result without a reload', async () => {
      const user = await begin();
      await using watched = await open('/jobs?tab=failed', user);
      const { page } = watched;
      const question = await confirm(page, 'Retry all failed');
      assert.match(question, /Retry 300 failed jobs\?/);
      await page.getByText('Retrying 300 jobs: 0 done').waitFor();
      if (!javaScript) await page.getByRole('link', { name: 'Follow the progress' }).click();
      await workThrough();
      await page.getByText('Retried 300 of 300 jobs.').waitFor();
      assert.deepEqual(await countsOf(user), { failed: 0, resent: COUNT, pending: COUNT });
      await assertClean(watched);
    });

    if (javaScript) {
      test('the outcome of resent jobs is shown while ticked rows pause the page', async () => {
        const user = await begin();
        const { store } = dashboard.service;
        await using watched = await open('/jobs?tab=failed', user);
        const { page } = watched;
        const box = page.getByRole('checkbox', { name: 'Select row' }).first();
        await box.check();
        await press(page, 'Retry (1)');
        await page.getByText('1 under way').waitFor();
        await box.check();
        await page.getByText('Paused: rows are ticked').waitFor();
        const sent = await store.jobs.list(user.teamId, { status: 'pending', limit: 1 });
        const ids = sent.map(({ id }) => id);
        await endRuns(store, 'jobs', ids, { status: 'success', completed_at: Date.now() });
        await page.getByText('1 succeeded').waitFor();
        await page.getByText('Paused: rows are ticked').waitFor();
      });
    }

    if (!javaScript) {
      test('a bulk action spread at a rate shows when the last job is due', async () => {
        const user = await begin();
        await using watched = await open('/jobs?tab=failed', user);
        const { page } = watched;
        const boxes = page.getByRole('checkbox', { name: 'Select row' });
        for (const n of [0, 1]) await boxes.nth(n).check();
        const name = 'Retry selected jobs one after the other?';
        const question = page.getByRole('dialog', { name });
        await page.getByRole('button', { name: 'More actions: selected jobs' }).click();
        await page.getByRole('button', { name: 'Retry at a rate' }).first().click();
        await question.getByLabel('Spread at a rate').fill('1/hour');
        await press(question, 'Retry at a rate');
        const ticked = page.getByRole('alertdialog', { name: 'Retry 2 jobs?' });
        await ticked.getByText('At 1 per hour, the last is due at').waitFor();
        await page.getByRole('link', { name: 'Cancel' }).click();
        await page.getByRole('button', { name: 'Retry all failed' }).first().click();
        const dialog = page.getByRole('dialog', { name: 'Retry 300 failed jobs?' });
        await dialog.getByLabel('Spread at a rate').fill('1/hour');
        await press(dialog, 'Retry all failed');
        await page.getByText('Spread them at 13 per hour or faster.').waitFor();
        await page.getByRole('button', { name: 'Retry all failed' }).first().click();
        await dialog.getByLabel('Spread at a rate').fill('2 per minute');
        await press(dialog, 'Retry all failed');
        const asked = page.getByRole('alertdialog', { name: 'Retry 300 jobs?' });
        await asked.getByText('At 2 per minute, the last is due at').waitFor();
        assert.deepEqual(await countsOf(user), { failed: COUNT, resent: 0, pending: 0 });
        await press(asked, 'Retry (300)');
        await page.getByText('Spread at 2 per minute; the last is due at').waitFor();
        await workThrough();
        assert.deepEqual(await countsOf(user), { failed: 0, resent: COUNT, pending: COUNT });
        await assertClean(watched);
      });

      test('a bulk action can be stopped from both pages, and the remaining jobs are unchanged', async () => {
        for (const path of ['/jobs?tab=failed', '/failures']) {
          const user = await begin();
          await dashboard.service.work.startBulk(user.teamId, 'delete', { tab: 'failed' });
          await using watched = await open(path, user);
          const { page } = watched;
          await press(page.locator('main'), 'Stop');
          await page.getByText('The remaining jobs are unchanged.').waitFor();
          await page.getByText('Deleted 0 of 300 jobs, then stopped.').waitFor();
          assert.equal(page.url(), `${dashboard.url}${path}`);
          await workThrough();
          assert.deepEqual(await countsOf(user), { failed: COUNT, resent: 0, pending: 0 });
          await assertClean(watched);
        }
      });
    }
  });
}
