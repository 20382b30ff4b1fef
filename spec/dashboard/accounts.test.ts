import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import decodeQr from 'qr/decode.js';
import { totpOf } from '#testing/authenticator';
import { startBrowser } from '#testing/browser';
import { postJson } from '#testing/client';
import { PASSWORD, startDashboard, useDashboard } from '#testing/dashboard';
import { before, useStarted } from '#testing/hooks';
import { heading, press } from '#testing/pages';
import { PlainPage } from '#testing/plain-page';

/** How people come to have an account, get in, and keep it theirs. */

const browser = useStarted(startBrowser);

const fill = async (page: Page, fields: Record<string, string>) => {
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(value);
};

/** Renders and decodes the QR code of a page. */
function readQrCode(html: string): string {
  const [, size = '', path = ''] =
    /aria-label="QR code of the key[^>]* viewBox="0 0 (\d+) \d+".*?<path d="([^"]+)"/s.exec(html) ??
    [];
  const scale = 4;
  const width = Number(size) * scale;
  const data = new Uint8Array(width * width * 3).fill(255);
  for (const [, x = '', y = ''] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < scale; row++) {
      const from = ((Number(y) * scale + row) * width + Number(x) * scale) * 3;
      data.fill(0, from, from + scale * 3);
    }
  }
  return decodeQr({ width, height: width, data });
}

test('a new user makes the first account, copies a token and a command, and sees the first job delivered', async () => {
  await using dashboard = await startDashboard();
  await using watched = await browser.newPage();
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
  const command = (await page.getByLabel('command for a job', { exact: true }).textContent()) ?? '';
  assert.ok(command.includes(`${dashboard.url}/echo`), 'it needs no target of one’s own');
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  const { job_id: id } = JSON.parse(stdout) as { job_id: string };
  await page.getByText('I have copied it').click();
  await page.goto(`${dashboard.url}/jobs/${id}`);
  await page.getByText('Success').first().waitFor();
  watched.assertNoFaults();
  await page.goto(`${dashboard.url}/setup`);
  await heading(page, 'Overview');
});

describe('an account', () => {
  const dashboard = useDashboard();
  before(() => dashboard.user('owner@bells.test'));
  const member = (email: string) => dashboard.user(email, { role: 'member' });
  const visit = (path: string) => PlainPage.open(dashboard.visitor(), path);
  const signedIn = async (email: string) => {
    const page = await visit('/login');
    await page.press('Sign in', { Email: email, Password: PASSWORD });
    return page;
  };

  test('a user signs in to the requested page after a wrong password, and signs out', async () => {
    const page = await visit('/settings/team');
    assert.equal(page.heading, 'Sign in');
    await page.press('Sign in', { Email: 'owner@bells.test', Password: 'wrong password' });
    page.shows('No account has this email and password.');
    assert.equal(page.field('Email'), 'owner@bells.test');
    await page.press('Sign in', { Email: ' Owner@Bells.test', Password: PASSWORD });
    assert.equal(page.heading, 'Team');
    await page.press('Sign out');
    assert.equal(page.heading, 'Sign in');
  });

  test('a reset link sets a new password once', async () => {
    await member('forgetful@bells.test');
    const page = await visit('/login');
    await page.follow('Forgot the password?');
    assert.equal(page.heading, 'Reset the password');
    await page.press('Send link', { Email: ' FORGETFUL@bells.test' });
    assert.equal(page.heading, 'Look for the link');
    await dashboard.service.people.close();
    const mail = dashboard.events.findLast(({ event }) => event === 'mail.written-to-log');
    const link = String(mail?.fields['link']);
    await page.go(link);
    const password = 'another fine password';
    await page.part('main').press(/./, { 'New password': password });
    assert.equal(page.heading, 'Sign in');
    await page.press('Sign in', { Email: 'forgetful@bells.test', Password: password });
    assert.equal(page.heading, 'Overview');
    await page.go(link);
    assert.match(page.heading, /no longer works/);
  });

  test('a user changes name, email and password, which ends other sessions', async () => {
    const user = await member('grace@bells.test');
    const elsewhere = await dashboard.signIn(user);
    const page = await signedIn(user.email);
    await page.go('/settings/profile');
    await page.press('Save name', { Name: 'Grace Hill' });
    page.shows('The name is changed.');
    const changeEmail = (email: string) =>
      page.press('Change email', { Email: email, Password: PASSWORD });
    await changeEmail('owner@bells.test');
    page.shows('There is an account with this email.');
    await changeEmail('Hill@Bells.test');
    page.shows('The email is changed.');
    const password = 'another fine password';
    const change = (current: string, wanted = password) =>
      page.press('Change password', { 'Current password': current, 'New password': wanted });
    await change('not this one');
    page.shows('This is not your password.');
    await change(PASSWORD);
    page.shows('The password is changed.');
    assert.equal((await elsewhere.get('/settings/profile')).status, 302);
    const again = await dashboard.visitor().post('/login', { email: 'hill@bells.test', password });
    assert.equal(again.status, 302);
  });

  test('a user turns on a second factor by QR code, signs in with a recovery code, and turns it off', async () => {
    const { email } = await member('careful@bells.test');
    const page = await signedIn(email);
    const codes = () => (page.all('pre').at(-1)?.textContent ?? '').trim().split('\n');
    await page.go('/settings/profile');
    await page.press('Set up', { Password: PASSWORD });
    page.shows('Keep these now');
    const { href } = page.part('a', 'Open in an authenticator');
    assert.equal(readQrCode(page.html), href);
    const first = codes();
    await page.press('Turn on', { 'Code that the authenticator': totpOf(href) });
    page.shows('The second factor is on.');
    await page.press('New recovery codes', { Password: PASSWORD });
    const renewed = codes();
    assert.equal(renewed.length, first.length);
    assert.ok(renewed.every((each) => each !== '' && !first.includes(each)));
    const members = await dashboard.signIn({ email: 'owner@bells.test' });
    const list = await PlainPage.open(members, '/settings/members');
    const isOn = (who: string) => list.row(who).part('[data-head="Second factor"]').text;
    assert.deepEqual([isOn(email), isOn('owner@bells.test')], ['On', 'Off']);

    const second = await signedIn(email);
    assert.equal(second.heading, 'Enter the code');
    assert.equal((await second.visitor.get('/')).status, 302, 'the password alone opens nothing');
    await second.press('Sign in', { Code: '000000' });
    second.shows('The code is not right.');
    await second.press('Sign in', { Code: renewed[0] ?? '' });
    assert.equal(second.heading, 'Overview');

    await page.go('/settings/profile');
    assert.ok(!page.html.includes(renewed[1] ?? ''), 'shown once');
    await page.press('Turn off', { Password: 'a guess' });
    page.shows('This is not your password.');
    await page.press('Turn off', { Password: PASSWORD });
    page.shows('The second factor is off.');
    assert.equal((await signedIn(email)).heading, 'Overview', 'without a code');
  });

  test('a user ends all sessions and deletes the account', async () => {
    const user = await member('leaving@bells.test');
    const elsewhere = await dashboard.signIn(user);
    let page = await signedIn(user.email);
    await page.go('/settings/profile');
    await page.press('Sign out everywhere');
    assert.equal(page.heading, 'Sign in');
    assert.equal((await elsewhere.get('/')).status, 302);
    page = await signedIn(user.email);
    await page.go('/settings/profile');
    await page.press('Delete account', { 'Password, to confirm': PASSWORD });
    assert.equal(page.heading, 'Sign in');
    page = await signedIn(user.email);
    page.shows('No account has this email and password.');
    const job = { queue: 'mail', url: 'https://example.com/' };
    const answer = await postJson(`${dashboard.url}/api/jobs`, user.apiToken, job);
    assert.equal(answer.status, 401);
  });
});
