import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { totpOf } from '#testing/authenticator';
import { PASSWORD } from '#testing/dashboard';
import { assertClean, confirm, heading, press, usePages } from '#testing/pages';
import type { Visitor } from '#testing/visitor';

/** Passkeys beside passwords and codes (§5), with the authenticator that Chromium plays for tests. */

const { dashboard, open, visit } = usePages({}, { sends: false, host: 'localhost' });

const profile = '/settings/profile';

/** A device with a passkey store that asks its owner, who is there. */
async function plugIn(page: Page): Promise<{ cdp: CDPSession; id: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id: authenticatorId };
}

async function addPasskey(page: Page, name: string, password = PASSWORD): Promise<void> {
  const section = page.locator('section').filter({ hasText: 'Add a passkey' }).last();
  await section.getByLabel('Name of the device').fill(name);
  await section.getByLabel('Password', { exact: true }).fill(password);
  await press(section, 'Add a passkey');
}

async function turnSecondFactorOn(visitor: Visitor): Promise<void> {
  const begin = { intent: 'begin-second-factor', password: PASSWORD };
  const begun = await visitor.post(profile, begin);
  const uri = /name="otpauth_uri" value="([^"]+)"/.exec(begun.text)?.[1] ?? '';
  const code = totpOf(uri.replaceAll('&amp;', '&'));
  const done = await visitor.post(profile, { intent: 'confirm-second-factor', code });
  assert.equal(done.status, 302);
}

describe('a passkey', () => {
  test('a passkey is added with the password, signs in without password and code, and is deleted', async () => {
    const user = await dashboard.user('keys@bells.test', { team: 'Keys' });
    await dashboard.user('without@bells.test', { team: 'Keys', role: 'member' });
    await using watched = await open(profile, user);
    const { page } = watched;
    const { cdp, id } = await plugIn(page);
    await addPasskey(page, 'Laptop', 'not the password');
    await page.getByText('This is not your password.').waitFor();
    assert.equal(
      (await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })).credentials.length,
      0,
    );
    await addPasskey(page, 'Laptop');
    await page.getByText('The passkey is added.').waitFor();
    await assertClean(watched);
    const members = await visit('/settings/members', user);
    members.row('keys@bells.test').part('[data-head="Second factor"]').shows('Off', 'passkey');
    members.row('without@bells.test').part('[data-head="Second factor"]').lacks('passkey');
    await turnSecondFactorOn(await dashboard.signIn(user));

    await watched.context.clearCookies();
    await page.goto(`${dashboard.url}/login?next=%2Fcrons`);
    await press(page, 'Sign in with a passkey');
    await heading(page, 'Crons');
    assert.equal(new URL(page.url()).pathname, '/crons');
    const signIns = dashboard.events.filter(({ event }) => event === 'account.signed-in');
    assert.equal(signIns.at(-1)?.fields['userId'], user.userId);

    await page.goto(`${dashboard.url}${profile}`);
    const row = page.getByRole('listitem').filter({ hasText: 'Laptop' });
    assert.match(await confirm(page, 'Delete', row), /Delete the passkey “Laptop”/);
    await page.getByText('The passkey is deleted.').waitFor();
    await watched.context.clearCookies();
    await page.goto(`${dashboard.url}/login`);
    await press(page, 'Sign in with a passkey');
    await page.getByText('No account here has this passkey').waitFor();
    await heading(page, 'Sign in with a passkey');
    await assertClean(watched);
  });

  test('a passkey works for its user only, and an invalid response is rejected', async () => {
    const ada = await dashboard.user('ada@keys.test', { team: 'Ada' });
    const eve = await dashboard.user('eve@keys.test', { team: 'Eve' });
    const own = await dashboard.signIn(ada);
    const credential = { credentialId: 'x', publicKey: Buffer.of(1), counter: 0, transports: [] };
    const { passkeys } = dashboard.service.store;
    await passkeys.add(ada.userId, 'Ada’s phone', credential, Date.now());
    const passkey = /name="passkey" value="([^"]+)"/.exec((await own.get(profile)).text)?.[1] ?? '';
    const visitor = await dashboard.signIn(eve);
    assert.ok(!(await visitor.get(profile)).text.includes('Ada’s phone'));
    await visitor.post(profile, { intent: 'delete-passkey', passkey });
    assert.ok((await own.get(profile)).text.includes('Ada’s phone'));
    const begin = { intent: 'begin-passkey', name: 'x', password: PASSWORD };
    assert.equal((await visitor.post(profile, begin)).status, 200);
    for (const answer of ['', '[]', '{"id":"x","response":{}}']) {
      const added = await visitor.post(profile, { intent: 'add-passkey', name: 'x', answer });
      assert.equal(added.status, 422, answer);
      await visitor.post(profile, begin);
    }
    const fourth = { intent: 'add-passkey', name: 'x', answer: 'x' };
    assert.equal((await visitor.post(profile, fourth)).status, 429, 'guesses are counted');
    const signedOut = dashboard.visitor();
    await signedOut.post('/login/passkey', { intent: 'begin' });
    assert.equal((await signedOut.post('/login/passkey', { answer: '{"id":"x"}' })).status, 422);
  });
});
