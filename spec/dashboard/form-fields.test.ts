import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { before } from '#testing/hooks';
import type { TestUser } from '#testing/dashboard';
import { assertClean, heading, openPage, press, usePages } from '#testing/pages';

/** Fields of forms by keyboard, by screen reader, and before the page's script runs. */

let user: TestUser;

const { browser, dashboard } = usePages({}, { sends: false });
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
  await page.getByLabel('Ends after runs').fill('7');
  await page.getByLabel('Headers').fill('X-One: 1\nX-Two: 2');
  await page.getByLabel('Assertion 1', { exact: true }).selectOption('Body contains');
  await page.getByLabel('Assertion 1, expected').fill('fine');
  scripts.resolve();
  await opened;
  await page.getByLabel('Header 2 value').waitFor();
  const values = async (...labels: string[]) =>
    Promise.all(labels.map((label) => page.getByLabel(label, { exact: true }).inputValue()));
  assert.deepEqual(await values('Name', 'Cron expression', 'Ends after runs'), [
    'Early',
    '5 4 * * *',
    '7',
  ]);
  assert.deepEqual(
    await values('Header 1 name', 'Header 1 value', 'Header 2 name', 'Header 2 value'),
    ['X-One', '1', 'X-Two', '2'],
  );
  assert.deepEqual(await values('Assertion 1', 'Assertion 1, expected'), ['body_contains', 'fine']);
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

describe('errors and their fields', () => {
  test('the error of a header is tied to its row, with and without scripts', async () => {
    for (const javaScript of [true, false]) {
      await using watched = await openPage({ browser, dashboard }, '/crons/new', {
        user,
        javaScript,
      });
      const { page } = watched;
      await page.getByLabel('Name', { exact: true }).fill('Wrong header');
      await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1/hook');
      await page.getByLabel('Cron expression').fill('@daily');
      if (javaScript) {
        await page.getByLabel('Header 1 name').fill('X-Right');
        await press(page, 'Add header');
        await page.getByLabel('Header 2 name').fill('Content-Length');
      } else {
        await page.getByLabel('Headers').fill('X-Right: 1\nContent-Length: 5');
      }
      await press(page, 'Create cron');
      const wrong = page.getByLabel(javaScript ? 'Header 2 name' : 'Headers');
      await page.getByText('must not set Content-Length').first().waitFor();
      assert.equal(await wrong.getAttribute('aria-invalid'), 'true');
      assert.match((await wrong.getAttribute('aria-describedby')) ?? '', /\bwrong-headers\b/);
      if (javaScript) {
        assert.match(await descriptionOf(wrong), /must not set Content-Length/);
        const right = page.getByLabel('Header 1 name');
        assert.equal(await right.getAttribute('aria-invalid'), null);
        await page.getByRole('group', { name: 'Headers' }).waitFor();
      }
      await assertClean(watched);
    }
  });

  test('the error of an assertion is tied to its row', async () => {
    await using watched = await openPage({ browser, dashboard }, '/queues/new', { user });
    const { page } = watched;
    await page.getByLabel('Name', { exact: true }).fill('Wrong assertion');
    await press(page, 'Add assertion');
    await page.getByLabel('Assertion 1, JSON path').fill('a');
    await press(page, 'Add assertion');
    await page.getByLabel('Assertion 2, JSON path').fill('a..b');
    await press(page, 'Create queue');
    await page.getByText('Assertion 2: its path must be').first().waitFor();
    const kind = page.getByLabel('Assertion 2', { exact: true });
    const path = page.getByLabel('Assertion 2, JSON path');
    for (const field of [kind, path]) {
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      assert.match(await descriptionOf(field), /its path must be/);
    }
    const first = page.getByLabel('Assertion 1, JSON path');
    assert.equal(await first.getAttribute('aria-invalid'), null);
    await page.getByRole('group', { name: 'Success assertions' }).waitFor();
    await assertClean(watched);
  });
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

test('the header never covers the focus, in both directions and on a phone (WCAG 2.4.11)', async () => {
  for (const width of [1280, 390]) {
    await using watched = await openPage({ browser, dashboard }, '/crons/new', { user });
    const { page } = watched;
    await page.setViewportSize({ width, height: 500 });
    const covered: string[] = [];
    let back = 0;
    const look = async () => {
      const found = await page.evaluate(() => {
        const focused = document.activeElement;
        const bar = document.querySelector('header')?.getBoundingClientRect();
        if (!focused || !bar || !focused.closest('main')) return null;
        const { top, bottom, height } = focused.getBoundingClientRect();
        return {
          name: focused.outerHTML.slice(0, 120),
          isCovered: height > 1 && top < bar.bottom && bottom > 0 && top >= 0,
        };
      });
      if (found === null) return false;
      if (found.isCovered) covered.push(found.name);
      return true;
    };
    await page.getByRole('button', { name: 'Create cron' }).focus();
    for (; back < 100; back++) {
      await page.keyboard.press('Shift+Tab');
      if (!(await look())) break;
    }
    assert.ok(back > 20, `${back} fields`);
    assert.deepEqual(covered, []);
  }
});
