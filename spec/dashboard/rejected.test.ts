import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { before } from '#testing/hooks';
import type { TestUser } from '#testing/dashboard';
import { assertClean, heading, press, usePages } from '#testing/pages';

/** After something was done, what came of it is where people look: on a screen, and by ear. */

let user: TestUser;

const { dashboard, open: openPage, target, visit } = usePages({}, { sends: false });
before(async () => {
  user = await dashboard.user('ada@bells.test');
});

const open = (path: string) => openPage(path, user);

const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.name || document.activeElement.id');
const isSeen = async (locator: Locator) => {
  const box = await locator.boundingBox();
  return box !== null && box.y >= 48 && box.y + box.height <= 720;
};

test('a rejected form focuses its first wrong field, and its summary leads to each of them', async () => {
  await using watched = await open('/healthz');
  const { page } = watched;
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.goto(`${dashboard.url}/crons/new`);
  await page.setViewportSize({ width: 1280, height: 720 });
  await press(page, 'Create cron');
  await page.locator('[name=name]:focus').waitFor();
  assert.ok(await isSeen(page.getByLabel('Name', { exact: true })));
  await assertClean(watched);
  const summary = page.getByRole('alert').filter({ hasText: 'Not done: 3 fields need a change.' });
  await summary.getByRole('link', { name: 'Cron expression' }).click();
  assert.equal(await focused(page), 'cron_expression');
  assert.ok(await isSeen(page.getByLabel('Cron expression')));
});

test('each wrong field of a rejected form has its error as its description, also without scripts', async () => {
  const page = await visit('/crons/new', user);
  page.fill('Headers', 'Content-Length: 5\nno colon');
  page.fill('Assertion 1', 'json_path_equals');
  await page.press('Create cron', { 'Assertion 1, JSON path': 'a..b' });
  assert.equal(page.part('[role=alert]').part('a').href, '#wrong-name');
  for (const [selector, ...errors] of [
    ['[name=name]', /required/],
    ['[name=headers]', /must not set Content-Length/, /no colon field must have a valid HTTP/],
    ['[name=assertion_path]', /its path must be/],
    ['[name=payload]'],
  ] as const) {
    const [field] = page.all(selector);
    const ids = (field?.getAttribute('aria-describedby') ?? '').split(' ');
    const description = ids.map((id) => page.all(`[id="${id}"]`)[0]?.textContent).join();
    for (const error of errors) assert.match(description, error);
    assert.equal(field?.getAttribute('aria-invalid'), errors.length > 0 ? 'true' : null, selector);
  }
});

test('the result of a test run is scrolled into view', async () => {
  target.answer('/fine', { status: 200, body: '{"ok":true}' });
  await using watched = await open('/crons/new');
  const { page } = watched;
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.getByLabel('Name', { exact: true }).fill('Nightly');
  await page.getByLabel('URL', { exact: true }).fill(`${target.url}/fine`);
  await page.getByLabel('Cron expression').fill('0 3 * * *');
  await press(page, 'Test run');
  const verdict = page.getByText('Test run: success, HTTP 200');
  await verdict.waitFor();
  assert.ok(await isSeen(verdict));
  watched.assertNoFaults();
});

test('a navigation moves the focus and announces the page', async () => {
  await using watched = await open('/');
  const { page } = watched;
  const said = (title: string) => page.getByRole('status').getByText(title, { exact: true });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('jobs');
  await page.keyboard.press('Enter');
  await heading(page, 'Jobs');
  await said('Jobs').waitFor({ state: 'attached' });
  assert.equal(await focused(page), 'page');
  await page.getByRole('link', { name: 'Create job' }).first().click();
  await heading(page, 'Create job');
  await said('Create job').waitFor({ state: 'attached' });
  assert.equal(await focused(page), 'page');
  watched.assertNoFaults();
});
