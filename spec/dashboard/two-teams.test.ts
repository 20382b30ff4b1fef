import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { before } from '#testing/hooks';
import { findBarriers } from '#testing/axe';
import type { TestUser } from '#testing/dashboard';
import { heading, press, usePages } from '#testing/pages';

/** One person, two teams, two tabs: nothing is done in a team that the page does not show. */

let user: TestUser;
let north: string;
let south: string;

const { dashboard, open: openPage, visit: visitPage } = usePages({}, { sends: false });
before(async () => {
  user = await dashboard.user('ada@bells.test', { team: 'North' });
  north = user.teamId;
  const made = await dashboard.service.people.teams.createTeam(user.userId, 'South');
  if (made.kind !== 'created') throw new Error(made.kind);
  south = made.teamId;
});

const switchTo = (teamId: string) => dashboard.service.people.teams.switchTeam(user.userId, teamId);
const open = async (path: string) => {
  await switchTo(north);
  return openPage(path, user);
};
const visit = async (path: string) => {
  await switchTo(north);
  return visitPage(path, user);
};
const queueNames = async (teamId: string) =>
  (await dashboard.service.work.listQueues(teamId)).map(({ name }) => name);
const refresh = (page: Page) =>
  page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");

describe('a form that was opened for one team', () => {
  test('a form opened for another team is rejected, stays filled and can be sent after switching back', async () => {
    await using watched = await open('/queues/new');
    const { page } = watched;
    await page.getByLabel('Name', { exact: true }).fill('invoices');
    await switchTo(south);
    await press(page, 'Create queue');
    const bar = page.getByRole('status').filter({ hasText: 'This form was opened for another' });
    await bar.getByText('It is for North, and your current team is South now.').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    assert.deepEqual([await queueNames(north), await queueNames(south)], [[], []]);
    await press(page, 'Switch back to North');
    await page.getByText('Your current team is North again').waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'invoices');
    await press(page, 'Create queue');
    await heading(page, 'invoices');
    assert.deepEqual([await queueNames(north), await queueNames(south)], [['invoices'], []]);
  });

  test('without scripts a form of another or no team is rejected with the same message', async () => {
    const page = await visit('/queues/new');
    page.fill('Name', 'reports');
    await switchTo(south);
    await page.press('Create queue');
    assert.equal(page.heading, 'This form was opened for another team');
    await page.press('Switch to North');
    assert.equal(page.heading, 'Create queue');
    const ada = await dashboard.signIn(user);
    for (const for_team of ['', south, 'x'])
      assert.equal((await ada.post('/queues/new', { queue: 'mail', for_team })).status, 409);
    assert.ok(!(await queueNames(north)).includes('mail'));
  });
});

test('a live page keeps its team when another tab switches', async () => {
  await using watched = await open('/queues');
  const { page } = watched;
  await dashboard.service.work.setQueue(north, 'northern', {});
  await page.reload();
  await switchTo(south);
  await refresh(page);
  await page.getByText('Your current team is South now').waitFor();
  await page.getByRole('link', { name: 'northern' }).waitFor();
  await page.getByRole('link', { name: 'Open this page in the current team' }).click();
  await page.getByRole('heading', { name: 'No queues yet' }).waitFor();
});

test('an address of another own team offers to switch; one of a foreign team does not', async () => {
  const queue = await dashboard.service.work.setQueue(south, 'southern', {});
  const outsider = await dashboard.user('mallory@other.test', { team: 'Other' });
  const page = await visit(`/queues/${queue.id}`);
  assert.equal(page.heading, 'This is in your team South');
  await page.press('Switch to South');
  assert.equal(page.heading, 'southern');
  const other = await (await dashboard.signIn(outsider)).get(`/queues/${queue.id}`);
  assert.equal(other.status, 404);
  assert.ok(!other.text.includes('South'));
});
