import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser, type TestBrowser } from '#testing/browser';
import { startDashboard, type TestDashboard, type TestUser } from '#testing/dashboard';
import { assertClean, heading, openPage } from '#testing/pages';

/** The dashboard by the keyboard alone: keys that go somewhere, and those that must not while somebody types. */

let browser: TestBrowser;
let dashboard: TestDashboard;
let user: TestUser;

before(async () => {
  [browser, dashboard] = await Promise.all([startBrowser(), startDashboard({}, { sends: false })]);
  user = await dashboard.user('ada@bells.test');
});
after(async () => {
  await browser.close();
  await dashboard[Symbol.asyncDispose]();
});

const open = async (path: string) => {
  const watched = await openPage({ browser, dashboard }, path, { user });
  // Keys are heard once the page's script runs.
  await watched.page.waitForLoadState('networkidle');
  return watched;
};

async function type(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

const pathOf = (page: Page) => new URL(page.url()).pathname;

describe('keys', () => {
  test('two letters go to a page, or begin something', async () => {
    await using watched = await open('/');
    const { page } = watched;
    const goes: [string, string, string][] = [
      ['g', 'c', 'Crons'],
      ['g', 'q', 'Queues'],
      ['g', 'j', 'Jobs'],
      ['g', 'r', 'Runs'],
      ['g', 'f', 'Failures'],
      ['g', 'a', 'Alerts'],
      ['g', 'm', 'Maintenance'],
      ['g', 'o', 'Overview'],
      ['c', 'c', 'Create cron'],
      ['g', 'o', 'Overview'],
      ['c', 'j', 'Create job'],
      ['g', 'o', 'Overview'],
      ['c', 'q', 'Create queue'],
    ];
    for (const [first, second, name] of goes) {
      await type(page, first, second);
      await heading(page, name);
    }
    await assertClean(watched);
  });

  test('they are letters where somebody types', async () => {
    await using watched = await open('/jobs/new');
    const { page } = watched;
    await page.getByLabel('Payload').focus();
    await page.keyboard.type('g c/?');
    assert.equal(await page.getByLabel('Payload').inputValue(), 'g c/?');
    assert.equal(pathOf(page), '/jobs/new');
    assert.equal(await page.locator('dialog[open]').count(), 0);
    await assertClean(watched);
  });

  test('Ctrl-K finds a page by some letters of its name, and searches for anything else', async () => {
    await using watched = await open('/crons');
    const { page } = watched;
    await type(page, 'Control+k');
    await page.getByRole('combobox', { name: 'Page, name, id or text to search for' }).waitFor();
    await page.keyboard.type('webh');
    await page.getByRole('option', { name: 'Settings: Webhook signing' }).waitFor();
    await assertClean(watched);
    await type(page, 'Enter');
    await heading(page, 'Webhook signing');
    await type(page, 'Control+k');
    await page.keyboard.type('order 42');
    await type(page, 'ArrowDown', 'ArrowUp', 'Enter');
    await page.waitForURL(/\/jobs\?tab=all&q=order(\+|%20)42/);
    await type(page, 'Control+k', 'Escape');
    assert.equal(await page.locator('dialog[open]').count(), 0);
    assert.equal(pathOf(page), '/jobs');
    await assertClean(watched);
  });

  test('Ctrl-K waits for what the server knows: Enter behind a name or an id leads to that very thing', async () => {
    const { work } = dashboard.service;
    const queue = await work.setQueue(user.teamId, 'Crons of the night', {});
    await using watched = await open('/alerts');
    const { page } = watched;
    await type(page, 'Control+k');
    await page.keyboard.type('crons of');
    await type(page, 'Enter');
    await heading(page, 'Crons of the night');
    await type(page, 'g', 'o');
    await heading(page, 'Overview');
    await type(page, 'Control+k');
    await page.keyboard.insertText(queue.id);
    await type(page, 'Enter');
    await heading(page, 'Crons of the night');
    await type(page, 'Control+k');
    await page.keyboard.type('pause crons');
    await page.getByRole('option', { name: 'Pause Crons of the night' }).waitFor();
    await assertClean(watched);
    await type(page, 'Enter');
    await page.getByText('The queue is paused. It starts nothing').waitFor();
    assert.equal((await work.findQueue(user.teamId, queue.id))?.isPaused, true);
    await type(page, 'Control+k');
    await page.keyboard.type('sign');
    await page.getByRole('option', { name: /^Sign out/ }).waitFor();
    await type(page, 'Escape');
    assert.equal(pathOf(page), `/queues/${queue.id}`);
    await assertClean(watched);
  });

  test('a question mark shows them all, a slash leads into the search field', async () => {
    await using watched = await open('/');
    const { page } = watched;
    await type(page, '?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Create cron').waitFor();
    await assertClean(watched);
    await type(page, 'g', 'c');
    assert.equal(pathOf(page), '/', 'nothing happens behind the open sheet');
    await type(page, 'Escape', '/');
    await page.keyboard.type('503');
    await type(page, 'Enter');
    await page.waitForURL(/\/jobs\?.*q=503/);
    await assertClean(watched);
  });
});
