import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { totpOf } from '#testing/authenticator';
import { startBrowser, type TestBrowser, type WatchedPage } from '#testing/browser';
import { PASSWORD, startDashboard, type TestDashboard } from '#testing/dashboard';
import { heading, press } from '#testing/pages';

/** How people come to have an account, get in, and keep it theirs: with scripts and without. */

let browser: TestBrowser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

const fill = async (page: Page, fields: Record<string, string>) => {
  for (const [label, value] of Object.entries(fields)) {
    await page.getByLabel(label, { exact: true }).fill(value);
  }
};

/** Each visitor counts for itself where sign-in is limited by address. */
let lastAddress = 0;
const newPage = (javaScriptEnabled = true): Promise<WatchedPage> =>
  browser.newPage({
    javaScriptEnabled,
    extraHTTPHeaders: { 'X-Forwarded-For': `203.0.113.${++lastAddress}` },
  });

const signIn = async (page: Page, dashboard: TestDashboard, email: string) => {
  await page.goto(`${dashboard.url}/login`);
  await fill(page, { Email: email, Password: PASSWORD });
  await press(page, 'Sign in');
};

describe('a new user', () => {
  test('a new user makes the first account, copies a token and a command, and sees the first job delivered', async () => {
    await using dashboard = await startDashboard();
    await using watched = await newPage();
    const { page } = watched;
    await page.goto(dashboard.url);
    await heading(page, 'Set up Belfry');
    await fill(page, {
      'Setup code': (await dashboard.service.people.operator.setupCode()) ?? '',
      'Your name': 'Ada',
      Email: 'ada@bells.test',
      Password: PASSWORD,
      Team: 'Bells',
    });
    await press(page, 'Create account');
    await heading(page, 'Overview');
    await page.getByRole('link', { name: 'With curl' }).click();
    await fill(page, { Password: PASSWORD });
    await press(page, 'Generate token');
    await page.getByText('it is shown once').waitFor();
    await page.getByText('Waiting for the first request').waitFor();
    // As a password manager does, which must not pause the page.
    await page.getByLabel('Password, to replace it').fill(PASSWORD);
    const command =
      (await page.getByLabel('command for a job', { exact: true }).textContent()) ?? '';
    assert.ok(command.includes(`${dashboard.url}/echo`), 'it needs no target of one’s own');
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    assert.match(stdout, /"job_id":/);
    await page.getByText('Arrived').waitFor();
    await page.getByText('I have copied it').click();
    await page.getByRole('link', { name: 'See it' }).click();
    await page.waitForURL(/\/jobs\//, { waitUntil: 'commit' });
    await page.getByText('Success').first().waitFor();
    watched.assertNoFaults();
    await page.goto(`${dashboard.url}/setup`);
    await heading(page, 'Overview');
  });

  test('a new user can register without scripts and sees errors at the fields', async () => {
    await using dashboard = await startDashboard({ TRUSTED_PROXIES: '0' });
    // In a browser, so that one story shows what it does with forms where it may run no scripts.
    await using watched = await browser.newPage({ javaScriptEnabled: false });
    const { page } = watched;
    await page.goto(dashboard.url);
    await fill(page, { 'Your name': 'Ada', Email: 'ada@bells', Password: PASSWORD, Team: 'Bells' });
    await press(page, 'Create account');
    await page.getByText('Enter a valid email address.').waitFor();
    assert.equal(await page.getByLabel('Team', { exact: true }).inputValue(), 'Bells');
    await fill(page, { Email: 'ada@bells.test', Password: PASSWORD });
    await press(page, 'Create account');
    await heading(page, 'Overview');
    await page.goto(`${dashboard.url}/settings/api-token`);
    await fill(page, { Password: PASSWORD });
    await press(page, 'Generate token');
    const command = await page.getByLabel('command for a cron', { exact: true }).textContent();
    await promisify(execFile)('sh', ['-c', command ?? '']);
    await page.goto(`${dashboard.url}/settings/api-token`);
    await page.getByText('A cron was created').waitFor();
    assert.equal(await page.getByText('it is shown once').count(), 0);
  });
});

for (const javaScript of [true, false]) {
  describe(`an account, ${javaScript ? 'with' : 'without'} scripts`, () => {
    let dashboard: TestDashboard;
    before(async () => {
      dashboard = await startDashboard();
      await dashboard.user('owner@bells.test');
    });
    after(() => dashboard[Symbol.asyncDispose]());
    const member = (email: string) => dashboard.user(email, { role: 'member' });

    test('a user signs in to the requested page after a wrong password, and signs out', async () => {
      await using watched = await newPage(javaScript);
      const { page } = watched;
      await page.goto(`${dashboard.url}/settings/team`);
      await heading(page, 'Sign in');
      await fill(page, { Email: 'owner@bells.test', Password: 'wrong password' });
      await press(page, 'Sign in');
      await page.getByText('No account has this email and password.').waitFor();
      assert.equal(await page.getByLabel('Email').inputValue(), 'owner@bells.test');
      await fill(page, { Password: PASSWORD });
      await press(page, 'Sign in');
      await heading(page, 'Team');
      await page
        .getByLabel(/^Account of/)
        .first()
        .click();
      await press(page, 'Sign out');
      await heading(page, 'Sign in');
    });

    if (!javaScript) {
      test('a reset link sets a new password once', async () => {
        await member('forgetful@bells.test');
        await using watched = await newPage(javaScript);
        const { page } = watched;
        await page.goto(`${dashboard.url}/login`);
        await page.getByRole('link', { name: 'Forgot the password?' }).click();
        // Both pages have a field of that name.
        await heading(page, 'Reset the password');
        await fill(page, { Email: 'forgetful@bells.test' });
        await press(page, 'Send link');
        await heading(page, 'Look for the link');
        await dashboard.service.people.close();
        const mail = dashboard.events.findLast(({ event }) => event === 'mail.written-to-log');
        const link = String(mail?.fields['link']);
        await page.goto(link);
        await page.getByLabel('New password').fill('another fine password');
        await page.locator('main button[type=submit]').click();
        await heading(page, 'Sign in');
        await fill(page, { Email: 'forgetful@bells.test', Password: 'another fine password' });
        await press(page, 'Sign in');
        await heading(page, 'Overview');
        await page.goto(link);
        await heading(page, /no longer works/);
      });
    }

    test('a user changes name, email and password, which ends other sessions', async () => {
      const user = await member('grace@bells.test');
      const elsewhere = await dashboard.signIn(user);
      await using watched = await newPage(javaScript);
      const { page } = watched;
      await signIn(page, dashboard, user.email);
      await heading(page, 'Overview');
      await page.goto(`${dashboard.url}/settings/profile`);
      await page.getByLabel('Name', { exact: true }).fill('Grace Hill');
      await press(page, 'Save name');
      await page.getByText('The name is changed.').waitFor();
      const emailForm = page.locator('form', { has: page.getByLabel('Email') });
      await emailForm.getByLabel('Email').fill('hill@bells.test');
      await emailForm.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await press(page, 'Change email');
      await page.getByText('The email is changed.').waitFor();
      await page.getByLabel('Current password').fill('not this one');
      await page.getByLabel('New password').fill('another fine password');
      await press(page, 'Change password');
      await page.getByText('This is not your password.').waitFor();
      await page.getByLabel('Current password').fill(PASSWORD);
      await page.getByLabel('New password').fill('another fine password');
      await press(page, 'Change password');
      await page.getByText('The password is changed.').waitFor();
      assert.equal((await elsewhere.get('/settings/profile')).status, 302);
    });

    if (!javaScript) {
      test('a user turns on a second factor, signs in with it or a recovery code, and turns it off', async () => {
        await member('careful@bells.test');
        await using watched = await newPage(javaScript);
        const { page } = watched;
        await signIn(page, dashboard, 'careful@bells.test');
        await heading(page, 'Overview');
        await page.goto(`${dashboard.url}/settings/profile`);
        const setUp = page.locator('form', { has: page.getByRole('button', { name: 'Set up' }) });
        await setUp.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await press(page, 'Set up');
        await page.getByText('Keep these now').waitFor();
        const uri = await page
          .getByRole('link', { name: /Open in an authenticator/ })
          .getAttribute('href');
        const codes = (await page.locator('pre').last().textContent()) ?? '';
        await page.getByLabel(/Code that the authenticator/).fill(totpOf(uri ?? ''));
        await press(page, 'Turn on');
        await page.getByText('The second factor is on.').waitFor();

        await using second = await newPage(javaScript);
        await signIn(second.page, dashboard, 'careful@bells.test');
        await heading(second.page, 'Enter the code');
        await fill(second.page, { Code: '000000' });
        await press(second.page, 'Sign in');
        await second.page.getByText('The code is not right.').waitFor();
        await fill(second.page, { Code: codes.trim().split('\n')[0] ?? '' });
        await press(second.page, 'Sign in');
        await heading(second.page, 'Overview');

        const off = page.locator('form', { has: page.getByRole('button', { name: 'Turn off' }) });
        await page.goto(`${dashboard.url}/settings/profile`);
        await off.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await press(page, 'Turn off');
        await page.getByText('The second factor is off.').waitFor();
      });
    }

    if (!javaScript) {
      test('a user ends all sessions and deletes the account', async () => {
        const user = await member('leaving@bells.test');
        const elsewhere = await dashboard.signIn(user);
        await using watched = await newPage(javaScript);
        const { page } = watched;
        await signIn(page, dashboard, user.email);
        await heading(page, 'Overview');
        await page.goto(`${dashboard.url}/settings/profile`);
        await press(page, 'Sign out everywhere');
        await heading(page, 'Sign in');
        assert.equal((await elsewhere.get('/')).status, 302);
        await signIn(page, dashboard, user.email);
        await heading(page, 'Overview');
        await page.goto(`${dashboard.url}/settings/profile`);
        await page.getByLabel('Password, to confirm').fill(PASSWORD);
        await press(page, 'Delete account');
        await heading(page, 'Sign in');
        await signIn(page, dashboard, user.email);
        await page.getByText('No account has this email and password.').waitFor();
        const answer = await fetch(`${dashboard.url}/api/jobs`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${user.apiToken}`,
            'Content-Type': 'application/json',
            Accept: 'application/json',
          },
          body: JSON.stringify({ queue: 'mail', url: 'https://example.com/', payload: { a: 1 } }),
        });
        assert.equal(answer.status, 401);
      });
    }
  });
}
