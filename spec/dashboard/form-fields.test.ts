import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { before } from '#testing/hooks';
import type { TestUser } from '#testing/dashboard';
import {
  assertNoFaults,
  heading,
  openAdvanced,
  press,
  untilReadAgain,
  usePages,
} from '#testing/pages';
import type { PlainPage } from '#testing/plain-page';

/** Fields of forms by keyboard, by screen reader, and before the page's script runs. */

let user: TestUser;

const { browser, createCron, dashboard, open, visit } = usePages({}, { sends: false });
before(async () => {
  user = await dashboard.user('ada@bells.test');
});

const hasFocus = (field: Locator) => field.evaluate((each) => each === document.activeElement);

test('text typed before the scripts run stays in every field', async () => {
  const { context, page, ...watched } = await browser.newPage({});
  await using _ = watched;
  await (await dashboard.signIn(user)).lendTo(context);
  const scripts = Promise.withResolvers<void>();
  await page.route('**/*.js', async (route) => {
    await scripts.promise;
    await route.continue();
  });
  const opened = page.goto(`${dashboard.url}/crons/new`);
  await page.getByLabel('Name', { exact: true }).fill('Early');
  await page.getByLabel('Cron expression').fill('5 4 * * *');
  await openAdvanced(page);
  await page.getByLabel('Ends after runs').fill('7');
  await page.getByLabel('Headers').fill('X-One: 1\nX-Two: 2');
  await page.getByLabel('Assertion 1', { exact: true }).selectOption('Body contains');
  await page.getByLabel('Assertion 1, expected').fill('fine');
  scripts.resolve();
  await opened;
  await page.getByRole('button', { name: 'Add assertion' }).waitFor();
  assert.equal(await page.getByLabel('Assertion 2', { exact: true }).count(), 0);
  await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1/hook');
  await press(page, 'Create cron');
  await heading(page, 'Early');
  const [cron] = await dashboard.service.work.listCrons(user.teamId);
  assert.equal(cron?.cronExpression, '5 4 * * *');
  assert.equal(cron.end.maxRuns, 7);
  assert.deepEqual(cron.headers, [
    ['X-One', '1'],
    ['X-Two', '2'],
  ]);
  assert.deepEqual(cron.assertions, [{ kind: 'body_contains', text: 'fine' }]);
});

const isAdvancedOpen = (page: PlainPage) =>
  page.all('details').some((each) => each.hasAttribute('open'));

test('Advanced opens for errors, typed values and stored ones that are no default', async () => {
  const page = await visit('/crons/new', user);
  await page.press('Create cron');
  assert.equal(isAdvancedOpen(page), false, 'the errors are outside');
  await page.press('Create cron', { 'Request timeout': '0' });
  assert.equal(isAdvancedOpen(page), true);
  await page.press('Create cron', { 'Request timeout': '30', Payload: 'kept' });
  assert.deepEqual([isAdvancedOpen(page), page.field('Payload')], [true, 'kept']);
  for (const [timeoutSeconds, isOpen] of [
    [30, false],
    [45, true],
  ] as const) {
    const id = await createCron(user, 'Plain', { timeoutSeconds });
    assert.equal(isAdvancedOpen(await visit(`/crons/${id}/edit`, user)), isOpen);
  }
});

test('Save stays visible, and wide screens show the request and its times next to the fields', async () => {
  await using watched = await open('/crons/new', user);
  const { page } = watched;
  await page.setViewportSize({ width: 390, height: 500 });
  const save = page.getByRole('button', { name: 'Create cron' });
  await page.evaluate('scrollTo(0, 0)');
  const box = await save.boundingBox();
  assert.ok(box && box.y + box.height <= 500, 'without scrolling');
  assert.equal(await page.getByRole('complementary', { name: 'Request' }).isVisible(), false);
  await page.setViewportSize({ width: 1600, height: 900 });
  const url = page.getByLabel('URL', { exact: true });
  await url.fill('https://api.example.com/tasks');
  await openAdvanced(page);
  await page.getByLabel('Headers').fill('X-Trace: on');
  await page.getByLabel('Payload').fill('{"month": 11}');
  const request = page.getByRole('complementary', { name: 'Request' });
  await request.getByText('{"month": 11}').waitFor();
  assert.equal(
    await request.textContent(),
    'GET https://api.example.com/tasks\nX-Trace: on\n\n{"month": 11}',
  );
  const expression = page.getByLabel('Cron expression');
  await expression.fill('0 6 * * *');
  const words = await page.getByText('At 06:00', { exact: true }).boundingBox();
  const field = await expression.boundingBox();
  assert.ok(words && field && words.x > field.x + field.width, 'beside');
  watched.assertNoFaults();
});

async function paste(page: Page, command: string): Promise<void> {
  await page.getByText('Import from curl or crontab').click();
  await page.getByLabel('Command').fill(command);
  await press(page, 'Fill the form');
  await page.getByText('The form is filled.').waitFor();
}

test('input during a test run of a pasted command stays in every field', async () => {
  await using watched = await open('/crons/new', user);
  const { page } = watched;
  await paste(page, 'curl http://127.0.0.1/hook');
  await openAdvanced(page);
  await press(page, 'Add assertion');
  const fill = async (text: string) => {
    for (const label of ['Payload', 'Headers', 'Assertion 1, expected'])
      await page.getByLabel(label, { exact: true }).fill(text);
  };
  await fill('Sent');
  const isTyped = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  await page.route('**/crons/new.data', async (route) => {
    sent.resolve();
    await isTyped.promise;
    await route.continue();
  });
  await press(page, 'Test run');
  await sent.promise;
  await fill('Later');
  await press(page, 'Add assertion');
  await page.getByLabel('Assertion 2, expected').fill('Added');
  isTyped.resolve();
  await page.getByText('its path must be').first().waitFor();
  await untilReadAgain(page);
  const values: string[] = [];
  for (const label of ['Payload', 'Headers', 'Assertion 1, expected', 'Assertion 2, expected'])
    values.push(await page.getByLabel(label, { exact: true }).inputValue());
  assert.deepEqual(values, ['Later', 'Later', 'Later', 'Added']);
  assertNoFaults(watched);
});

test('the button that shows a password is reached by Tab and works by the keyboard', async () => {
  await using watched = await browser.newPage({});
  const { page } = watched;
  await page.goto(`${dashboard.url}/login`);
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('secret words');
  await page.keyboard.press('Tab');
  const eye = page.getByRole('button', { name: 'Show password' });
  assert.equal(await hasFocus(eye), true);
  await page.keyboard.press('Enter');
  assert.equal(await password.getAttribute('type'), 'text');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Show password' }).waitFor();
  assert.equal(await password.getAttribute('type'), 'password');
  watched.assertNoFaults();
});

test('a pasted text that is too long is not cut, and a pasted command replaces typed text', async () => {
  await using watched = await open('/crons/new', user);
  const { page } = watched;
  const field = page.getByLabel('URL', { exact: true });
  const long = 'x'.repeat(300);
  await field.fill(long);
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Control+C');
  const name = page.getByLabel('Name', { exact: true });
  await name.focus();
  await page.keyboard.press('Control+V');
  assert.equal(await name.inputValue(), long);
  await paste(page, 'curl http://pasted.example/');
  assert.equal(await field.inputValue(), 'http://pasted.example/');
  await field.fill('http://typed.example/');
  await press(page, 'Fill the form');
  await page.waitForFunction(() => {
    const url = document.querySelector<HTMLInputElement>('[name=url]');
    return url?.value === 'http://pasted.example/';
  });
  watched.assertNoFaults();
});

test('typed text stays when the page loads again and when secrets are shown, which fill their fields', async () => {
  const headers = [['X-Token', 'hush']] as const;
  const id = await createCron(user, 'Secretive', { headers });
  await using watched = await open(`/crons/${id}/edit`, user);
  const { page } = watched;
  const name = page.getByLabel('Name', { exact: true });
  await openAdvanced(page);
  await name.fill('Typed');
  await page.getByLabel('Payload', { exact: true }).fill('{"typed":1}');
  await dashboard.service.work.editCron(user.teamId, id, { url: 'http://other.example/' });
  const answered = page.waitForResponse((response) => response.url().includes('edit.data'));
  await press(page, 'Theme');
  await press(page, 'Dark');
  await answered;
  await page.locator('html[data-theme=dark]').waitFor();
  assert.equal(await name.inputValue(), 'Typed');
  await press(page, 'Show secrets');
  await page.getByText('Secrets are shown, and the activity records that.').waitFor();
  await untilReadAgain(page);
  assert.equal(await page.getByLabel('Headers').inputValue(), 'X-Token: hush');
  assert.equal(await name.inputValue(), 'Typed');
  assert.equal(await page.getByLabel('Payload', { exact: true }).inputValue(), '{"typed":1}');
  assert.ok(await hasFocus(page.getByRole('button', { name: 'Show secrets' })));
  watched.assertNoFaults();
});

test('a form shows only the fields of the chosen option', async () => {
  await using watched = await open('/settings/notifications/new', user);
  const { page } = watched;
  const shown = page.locator('[data-kind]:visible');
  for (const kind of ['slack', 'email-addresses']) {
    await page.getByLabel('Channel', { exact: true }).selectOption(kind);
    await page.locator(`[data-kind=${kind}]`).first().waitFor();
    const kinds = await shown.evaluateAll((all) => all.map((each) => each.dataset['kind']));
    assert.deepEqual(new Set(kinds), new Set([kind]));
  }
  watched.assertNoFaults();
});
