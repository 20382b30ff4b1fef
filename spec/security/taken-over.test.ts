import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before, useStarted } from '#testing/hooks';
import { totpOf } from '#testing/authenticator';
import { postJson } from '#testing/client';
import { PASSWORD, startDashboard, type TestUser } from '#testing/dashboard';
import { type ReceivedMail, startSmtpServer } from '#testing/smtp';
import type { Visitor } from '#testing/visitor';

/**
 * Somebody has a session of Ada's, and for a while her password. What they have set going must end when Ada
 * shuts them out: no link, no code and no token may outlive it.
 */

const NEW_PASSWORD = 'another fine password';

const smtp = useStarted(startSmtpServer);
const dashboard = useStarted(() => startDashboard({ SMTP_URL: smtp.url }));
before(() => dashboard.user('owner@bells.test'));

let people = 0;
const aVictim = () => dashboard.user(`ada${++people}@bells.test`, { role: 'member' });
const pathIn = (mail: ReceivedMail) => /^http:\/\/[^/]+(\/\S+)$/m.exec(mail.text)?.[1] ?? 'no link';
const mailTo = (address: string, subject: RegExp) =>
  smtp.next((mail) => mail.to.includes(address) && subject.test(mail.subject));

/** The thief asks for another email; gives the link that the new address got. */
async function askForEmail(thief: Visitor, email: string): Promise<string> {
  const asked = await thief.post('/settings/profile', {
    intent: 'email',
    email,
    password: PASSWORD,
  });
  assert.equal(asked.status, 302);
  return pathIn(await mailTo(email, /Confirm your new email/));
}

async function askForReset(email: string): Promise<string> {
  await dashboard.visitor().post('/forgot-password', { email });
  return pathIn(await mailTo(email, /new password/));
}

async function resetPassword(victim: TestUser, form: Record<string, string> = {}) {
  const link = await askForReset(victim.email);
  const answer = await dashboard.visitor().post(link, { password: NEW_PASSWORD, ...form });
  assert.equal(answer.status, 302);
}

const JOB = { queue: 'q', url: 'https://x.test/', payload: {}, delay: 86_400 };
const callApi = (token: string) => postJson(`${dashboard.url}/api/jobs`, token, JOB);

async function emailOf(victim: TestUser, password: string): Promise<string> {
  const visitor = dashboard.visitor();
  const entered = await visitor.post('/login', { email: victim.email, password });
  assert.equal(entered.status, 302, 'the old email still signs in');
  return (
    /name="email"[^>]* value="([^"]+)"/.exec((await visitor.get('/settings/profile')).text)?.[1] ??
    ''
  );
}

describe('a change of email by a stolen session', () => {
  for (const [how, shutOut] of [
    ['a password reset', (victim: TestUser) => resetPassword(victim)],
    [
      'a password change',
      async (victim: TestUser) => {
        const form = { current_password: PASSWORD, password: NEW_PASSWORD };
        const visitor = await dashboard.signIn(victim);
        const answer = await visitor.post('/settings/profile', { intent: 'password', ...form });
        assert.equal(answer.status, 302);
      },
    ],
    [
      'signing out everywhere',
      async (victim: TestUser) => {
        const visitor = await dashboard.signIn(victim);
        await visitor.post('/settings/profile', { intent: 'sign-out-everywhere' });
      },
    ],
  ] as const) {
    test(`a pending change of email ends with ${how}`, async () => {
      const victim = await aVictim();
      const thief = await dashboard.signIn(victim);
      const link = await askForEmail(thief, `thief${people}@evil.test`);
      await shutOut(victim);
      assert.equal((await thief.get('/settings/profile')).status, 302, 'the session ended');
      assert.equal((await dashboard.visitor().post(link, {})).status, 422);
      const password = how === 'signing out everywhere' ? PASSWORD : NEW_PASSWORD;
      assert.equal(await emailOf(victim, password), victim.email);
    });
  }

  test('the old address is notified of a change of email and can stop it without a session', async () => {
    const victim = await aVictim();
    const thief = await dashboard.signIn(victim);
    const link = await askForEmail(thief, `thief${people}@evil.test`);
    const mail = await mailTo(victim.email, /change of the email/);
    assert.match(mail.text, new RegExp(`thief${people}@evil\\.test`));
    const stop = pathIn(mail);
    assert.match(stop, /^\/stop-email-change\//);
    const nobody = dashboard.visitor();
    assert.equal((await nobody.get(stop)).status, 200, 'the page alone changes nothing');
    const stopped = await nobody.post(stop, {});
    assert.equal(stopped.status, 200);
    assert.match(stopped.text, /The change is stopped/);
    assert.equal((await nobody.post(stop, {})).status, 422);
    assert.equal((await dashboard.visitor().post(link, {})).status, 422);
    assert.equal(await emailOf(victim, PASSWORD), victim.email);
  });
});

describe('a link for a new password', () => {
  test('a reset link ends with a password change', async () => {
    const victim = await aVictim();
    const link = await askForReset(victim.email);
    const visitor = await dashboard.signIn(victim);
    const form = { current_password: PASSWORD, password: NEW_PASSWORD };
    await visitor.post('/settings/profile', { intent: 'password', ...form });
    const answer = await dashboard.visitor().post(link, { password: 'a password of a thief' });
    assert.equal(answer.status, 422);
    assert.equal(await emailOf(victim, NEW_PASSWORD), victim.email);
  });

  test('a change of email is replaced by the next one, and ends a reset link in the old mailbox', async () => {
    const victim = await aVictim();
    const old = await askForReset(victim.email);
    const visitor = await dashboard.signIn(victim);
    const earlier = await askForEmail(visitor, `moved${people}@bels.test`);
    const confirm = await askForEmail(visitor, `moved${people}@bells.test`);
    assert.equal((await dashboard.visitor().post(earlier, {})).status, 422, 'replaced');
    assert.equal((await visitor.post(confirm, {})).status, 302);
    const answer = await dashboard.visitor().post(old, { password: 'a password of a thief' });
    assert.equal(answer.status, 422);
  });

  test("reset links requested by others do not invalidate the owner's", async () => {
    const victim = await aVictim();
    const own = await askForReset(victim.email);
    const attacker = dashboard.visitor();
    for (let n = 0; n < 3; n++) await attacker.post('/forgot-password', { email: victim.email });
    assert.equal((await dashboard.visitor().post(own, { password: NEW_PASSWORD })).status, 302);
    await askForReset(victim.email);
  });
});

describe('a second factor set up by a stolen session', () => {
  test("a second factor can't be confirmed after a password reset", async () => {
    const victim = await aVictim();
    const thief = await dashboard.signIn(victim);
    const form = { intent: 'begin-second-factor', password: PASSWORD };
    const begun = await thief.post('/settings/profile', form);
    const uri = /otpauth:[^"]+/.exec(begun.text)?.[0].replaceAll('&amp;', '&') ?? '';
    await resetPassword(victim);
    const again = dashboard.visitor();
    await again.post('/login', { email: victim.email, password: NEW_PASSWORD });
    const confirm = { intent: 'confirm-second-factor', code: totpOf(uri) };
    assert.equal((await again.post('/settings/profile', confirm)).status, 422);
  });

  test("the code that confirmed a second factor can't be used to sign in", async () => {
    const victim = await aVictim();
    const visitor = await dashboard.signIn(victim);
    const form = { intent: 'begin-second-factor', password: PASSWORD };
    const begun = await visitor.post('/settings/profile', form);
    const uri = /otpauth:[^"]+/.exec(begun.text)?.[0].replaceAll('&amp;', '&') ?? '';
    const code = totpOf(uri);
    const on = await visitor.post('/settings/profile', { intent: 'confirm-second-factor', code });
    assert.equal(on.status, 302);
    const thief = dashboard.visitor();
    await thief.post('/login', { email: victim.email, password: PASSWORD });
    assert.equal((await thief.post('/login/code', { code })).status, 422);
    assert.equal((await thief.get('/')).status, 302, 'still outside');
  });
});

describe('the API token', () => {
  test('an API token is made and replaced with the password only', async () => {
    const victim = await aVictim();
    const thief = await dashboard.signIn(victim);
    for (const form of [{ intent: 'generate' }, { password: 'a guess' }]) {
      const answer = await thief.post('/settings/api-token', form);
      assert.equal(answer.status, 422);
      assert.doesNotMatch(answer.text, /belfry_[\w-]{20}/);
    }
    assert.equal((await callApi(victim.apiToken)).status, 201, 'the old one works');
    const made = await thief.post('/settings/api-token', { password: PASSWORD });
    const token = /belfry_[\w-]{43}/.exec(made.text)?.[0] ?? '';
    assert.equal((await callApi(token)).status, 201);
    assert.equal((await callApi(victim.apiToken)).status, 401);
  });

  test('a password reset and signing out everywhere revoke the API token by default', async () => {
    const ticked =
      /<input[^>]*name="revoke_token"[^>]*(?:checked=""[^>]*value="1"|value="1"[^>]*checked="")/;
    const victim = await aVictim();
    const link = await askForReset(victim.email);
    assert.match((await dashboard.visitor().get(link)).text, ticked);
    await resetPassword(victim, { revoke_token: '1' });
    assert.equal((await callApi(victim.apiToken)).status, 401);
    const other = await aVictim();
    const visitor = await dashboard.signIn(other);
    assert.match((await visitor.get('/settings/profile')).text, ticked);
    const form = { intent: 'sign-out-everywhere', revoke_token: '1' };
    await visitor.post('/settings/profile', form);
    assert.equal((await callApi(other.apiToken)).status, 401);
  });

  test('the owner can keep the API token at a password reset', async () => {
    const victim = await aVictim();
    await resetPassword(victim, { revoke_token: '0' });
    assert.equal((await callApi(victim.apiToken)).status, 201);
  });
});
