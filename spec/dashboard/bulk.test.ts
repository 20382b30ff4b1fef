import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestUser } from '#testing/dashboard';
import { fillJobs } from '#testing/fill';
import { assertClean, confirm, usePages } from '#testing/pages';
import { endRuns } from '#testing/run-rows';

/** Retrying and deleting more than a page shows (§3.2): followed while it goes on, stopped half-way. */

// Nothing is worked through until a test says so.
const { dashboard, open, visit } = usePages({}, { sends: false });

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

test('a bulk action shows its progress and result without a reload, even while ticked rows pause the page', async () => {
  const user = await begin();
  await using watched = await open('/jobs?tab=failed', user);
  const { page } = watched;
  const question = await confirm(page, 'Retry all failed');
  assert.match(question, /Retry 300 failed jobs\?/);
  await page.getByText('Retrying 300 jobs: 0 done').waitFor();
  await page.getByRole('checkbox', { name: 'Select row' }).first().check();
  await page.getByText('Paused: rows are ticked').waitFor();
  await workThrough();
  await page.getByText('Retried 300 of 300 jobs.').waitFor();
  await page.getByText('300 under way').waitFor();
  const { store } = dashboard.service;
  const [sent] = await store.jobs.list(user.teamId, { status: 'pending', limit: 1 });
  await endRuns(store, 'jobs', [sent?.id ?? ''], { status: 'success', completed_at: Date.now() });
  await page.getByText('1 succeeded').waitFor();
  await page.getByText('Paused: rows are ticked').waitFor();
  await assertClean(watched);
});

describe('a bulk action', () => {
  test('a bulk action spread at a rate shows when the last job is due', async () => {
    const user = await begin();
    const page = await visit('/jobs?tab=failed', user);
    for (const box of page.all('[aria-label="Select row"]').slice(0, 2))
      box.toggleAttribute('checked', true);
    const name = 'Retry selected jobs one after the other?';
    page.part('[role=dialog]', name).fill('Spread at a rate', '1/hour');
    await page.part('[role=dialog]', name).press('Retry at a rate');
    page.part('[role=alertdialog]', 'Retry 2 jobs?').shows('At 1 per hour, the last is due at');
    await page.follow('Cancel');
    await page.press('Retry all failed', { 'Spread at a rate': '1/hour' });
    page.shows('Spread them at 13 per hour or faster.');
    await page.press('Retry all failed', { 'Spread at a rate': '2 per minute' });
    const asked = page.part('[role=alertdialog]', 'Retry 300 jobs?');
    asked.shows('At 2 per minute, the last is due at');
    assert.deepEqual(await countsOf(user), { failed: COUNT, resent: 0, pending: 0 });
    await asked.press('Retry (300)');
    page.shows('Spread at 2 per minute; the last is due at');
    await workThrough();
    assert.deepEqual(await countsOf(user), { failed: 0, resent: COUNT, pending: COUNT });
  });

  test('a bulk action can be stopped, and the remaining jobs are unchanged', async () => {
    const user = await begin();
    await dashboard.service.work.startBulk(user.teamId, 'delete', { tab: 'failed' });
    const page = await visit('/failures', user);
    await page.press('Stop');
    page.shows('The remaining jobs are unchanged.', 'Deleted 0 of 300 jobs, then stopped.');
    assert.equal(page.path, '/failures');
    await workThrough();
    assert.deepEqual(await countsOf(user), { failed: COUNT, resent: 0, pending: 0 });
  });
});
