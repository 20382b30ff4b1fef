import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { before } from '#testing/hooks';
import type { TestUser } from '#testing/dashboard';
import {
  assertClean,
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

/** The texts that describe a field to a screen reader. */
const descriptionOf = (field: Locator) =>
  field.evaluate((each) =>
    (each.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  );

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
  const values = async (...labels: string[]) =>
    Promise.all(labels.map((label) => page.getByLabel(label, { exact: true }).inputValue()));
  assert.deepEqual(await values('Name', 'Cron expression', 'Ends after runs'), [
    'Early',
    '5 4 * * *',
    '7',
  ]);
  assert.deepEqual(await values('Headers', 'Assertion 1', 'Assertion 1, expected'), [
    'X-One: 1\nX-Two: 2',
    'body_contains',
    'fine',
  ]);
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

describe('the rest of a form is under Advanced', () => {
  test('Advanced opens for errors and typed values', async () => {
    await using watched = await open('/crons/new', user);
    const { page } = watched;
    const payload = page.getByLabel('Payload');
    const timeout = page.getByLabel('Request timeout');
    for (const label of ['Name', 'URL', 'Cron expression', 'Alert threshold'])
      assert.ok(await page.getByLabel(label, { exact: true }).isVisible(), label);
    assert.equal(await payload.isVisible(), false);
    await press(page, 'Create cron');
    await page.getByText('Not done: 3 fields need a change.').waitFor();
    assert.equal(await payload.isVisible(), false, 'the errors are outside');
    await openAdvanced(page);
    await payload.fill('kept');
    await timeout.fill('0');
    await press(page, 'Create cron');
    await page.getByText('Not done: 4 fields need a change.').waitFor();
    assert.ok(await timeout.isVisible());
    await timeout.fill('30');
    await press(page, 'Create cron');
    await page.getByText('Not done: 3 fields need a change.').waitFor();
    assert.equal(await payload.inputValue(), 'kept');
    assert.ok(await payload.isVisible(), 'a typed value stays in sight');
    await assertClean(watched);
  });

  test('without scripts Advanced opens for errors and typed values', async () => {
    const page = await visit('/crons/new', user);
    await page.press('Create cron');
    assert.equal(isAdvancedOpen(page), false, 'the errors are outside');
    await page.press('Create cron', { 'Request timeout': '0' });
    assert.equal(isAdvancedOpen(page), true);
    await page.press('Create cron', { 'Request timeout': '30', Payload: 'kept' });
    assert.deepEqual([isAdvancedOpen(page), page.field('Payload')], [true, 'kept']);
  });

  test('Advanced is open for a stored value that is no default', async () => {
    for (const [timeoutSeconds, isOpen] of [
      [30, false],
      [45, true],
    ] as const) {
      const id = await createCron(user, 'Plain', { timeoutSeconds });
      const page = await visit(`/crons/${id}/edit`, user);
      assert.equal(isAdvancedOpen(page), isOpen);
    }
  });
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
  await assertClean(watched);
});

async function paste(page: Page, command: string): Promise<void> {
  await page.getByText('Import from curl or crontab').click();
  await page.getByLabel('Command').fill(command);
  await press(page, 'Fill the form');
  await page.getByText('The form is filled.').waitFor();
}

describe('the box of a pasted command', () => {
  const command = 'curl --unknown-option';

  test('the box of a pasted command stays open, or closed, during a test run', async () => {
    await using watched = await open('/crons/new', user);
    const { page } = watched;
    const box = page.getByLabel('Command');
    await page.getByText('Import from curl or crontab').click();
    await box.fill(command);
    await press(page, 'Fill the form');
    await page.getByText('The curl command has no URL.').waitFor();
    await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1/hook');
    const testRun = async () => {
      await press(page, 'Test run');
      await page.getByRole('region', { name: 'Test run' }).waitFor();
      await untilReadAgain(page);
    };
    await testRun();
    assert.equal(await box.isVisible(), true);
    assert.equal(await box.inputValue(), command);
    await page.getByText('Import from curl or crontab').click();
    await testRun();
    assert.equal(await box.isVisible(), false);
    watched.assertNoFaults();
  });

  test('without scripts the box of a pasted command is open while it has one', async () => {
    const page = await visit('/crons/new', user);
    const isOpen = () => page.all('details:has([name=paste])[open]').length === 1;
    assert.equal(isOpen(), false);
    await page.press('Fill the form', { Command: command });
    assert.equal(isOpen(), true);
    await page.press('Create cron');
    assert.equal(isOpen(), true);
    assert.equal(page.field('Command'), command);
  });
});

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
  await assertClean(watched);
});

test('the error of a header is tied to its field, and that of an assertion to its row', async () => {
  await using watched = await open('/crons/new', user);
  const { page } = watched;
  await page.getByLabel('Name', { exact: true }).fill('Wrong rows');
  await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1/hook');
  await page.getByLabel('Cron expression').fill('@daily');
  await openAdvanced(page);
  await page.getByLabel('Headers').fill('X-Right: 1\nContent-Length: 5\nno colon');
  await press(page, 'Add assertion');
  await page.getByLabel('Assertion 1, JSON path').fill('a');
  await press(page, 'Add assertion');
  await page.getByLabel('Assertion 2, JSON path').fill('a..b');
  await press(page, 'Create cron');
  await page.getByText('Not done: 2 fields need a change.').waitFor();
  for (const [label, error] of [
    ['Headers', /must not set Content-Length/],
    ['Headers', /no colon field must have a valid HTTP header name/],
    ['Assertion 2', /its path must be/],
    ['Assertion 2, JSON path', /its path must be/],
  ] as const) {
    const field = page.getByLabel(label, { exact: true });
    assert.equal(await field.getAttribute('aria-invalid'), 'true', label);
    assert.match(await descriptionOf(field), error);
  }
  const right = page.getByLabel('Assertion 1, JSON path');
  assert.equal(await right.getAttribute('aria-invalid'), null);
  await page.getByRole('group', { name: 'Success assertions' }).waitFor();
  await assertClean(watched);
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
  await assertClean(watched);
});

test('a pasted text that is too long is not cut, and a pasted command fills fields with typed text', async () => {
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
  for (const path of ['/crons/new', '/jobs/new']) {
    await page.goto(`${dashboard.url}${path}`);
    await field.fill('http://typed.example/');
    await paste(page, 'curl http://pasted.example/');
    assert.equal(await field.inputValue(), 'http://pasted.example/', path);
    await field.fill('http://typed.example/');
    await press(page, 'Fill the form');
    await page.waitForFunction(() => {
      const url = document.querySelector<HTMLInputElement>('[name=url]');
      return url?.value === 'http://pasted.example/';
    });
  }
  watched.assertNoFaults();
});

test('typed text stays when the page loads again after somebody else saved the cron', async () => {
  const id = await createCron(user, 'Shared');
  await using watched = await open(`/crons/${id}/edit`, user);
  const { page } = watched;
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Typed');
  await dashboard.service.work.editCron(user.teamId, id, { url: 'http://other.example/' });
  const answered = page.waitForResponse((response) => response.url().includes('edit.data'));
  await press(page, 'Theme');
  await press(page, 'Dark');
  await answered;
  await page.locator('html[data-theme=dark]').waitFor();
  assert.equal(await name.inputValue(), 'Typed');
  watched.assertNoFaults();
});

test('typed text stays when secrets are shown, and the secrets fill their fields', async () => {
  const headers = [['X-Token', 'hush']] as const;
  const id = await createCron(user, 'Secretive', { headers });
  await using watched = await open(`/crons/${id}/edit`, user);
  const { page } = watched;
  await openAdvanced(page);
  await page.getByLabel('Name', { exact: true }).fill('Typed');
  await page.getByLabel('Payload', { exact: true }).fill('{"typed":1}');
  await press(page, 'Show secrets');
  await page.getByText('Secrets are shown, and the activity records that.').waitFor();
  await untilReadAgain(page);
  assert.equal(await page.getByLabel('Headers').inputValue(), 'X-Token: hush');
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed');
  assert.equal(await page.getByLabel('Payload', { exact: true }).inputValue(), '{"typed":1}');
  assert.ok(await hasFocus(page.getByRole('button', { name: 'Show secrets' })));
  await assertClean(watched);
});

test('a form shows only the fields of the chosen option', async () => {
  await createCron(user, 'Nightly');
  await using watched = await open('/maintenance/new', user);
  const { page } = watched;
  const crons = page.getByRole('group', { name: 'Crons' });
  await page.getByLabel('Chosen crons and queues').check();
  await crons.waitFor();
  await page.getByLabel('The whole team').check();
  await crons.waitFor({ state: 'hidden' });

  await page.goto(`${dashboard.url}/settings/notifications/new`);
  const groups = page.locator('[data-kind]');
  const channel = page.getByLabel('Channel', { exact: true });
  await channel.selectOption('slack');
  await page.locator('[data-kind=slack]').waitFor();
  for (const option of await channel.locator('option').all()) {
    const kind = (await option.getAttribute('value')) ?? '';
    await channel.selectOption(kind);
    for (const group of await groups.all()) {
      const isOfKind = (await group.getAttribute('data-kind')) === kind;
      assert.equal(await group.isVisible(), isOfKind, kind);
    }
  }
  watched.assertNoFaults();
});
