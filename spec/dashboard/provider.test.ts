import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PASSWORD, startDashboard, type TestDashboard, type TestUser } from '#testing/dashboard';
import { startProvider, type TestProvider } from '#testing/provider';
import type { Answer } from '#testing/client';
import type { Visitor } from '#testing/visitor';

/** §5.7: sign-in by OpenID Connect, against a real provider, and attacks on it. */

let provider: TestProvider;
let dashboard: TestDashboard;
let owner: TestUser;

before(async () => {
  provider = await startProvider();
  dashboard = await startDashboard(provider.env, { sends: false });
  provider.expect(dashboard.url);
  owner = await dashboard.user('owner@bells.test');
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

let people = 0;
const somebody = (email = `new${++people}@bells.test`) =>
  ({ sub: `sub of ${email}`, email, email_verified: true, name: 'Somebody' }) as const;

/** Leaves for the provider. @returns where the browser is to go there */
async function leave(visitor: Visitor, query = ''): Promise<string> {
  const { status, headers } = await visitor.get(`/login/provider${query}`);
  assert.equal(status, 302);
  const to = headers.get('Location') ?? '';
  assert.ok(to.startsWith(`${provider.issuer}/auth?`), to);
  return to;
}

/** The path and query with which the provider sends a browser back. */
async function comeBackWith(to: string): Promise<string> {
  const { pathname, search } = new URL(await provider.visit(to));
  return pathname + search;
}

const signIn = (visitor: Visitor, query = '') => provider.signIn(visitor, query);

async function isSignedIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.get('/settings/profile')).status !== 302;
}

async function assertRefused(visitor: Visitor, answer: Answer, words: RegExp, status = 403) {
  assert.equal(answer.status, status, answer.text.slice(0, 300));
  assert.match(answer.text, words);
  assert.match(answer.text, /Other ways to sign in/);
  assert.equal(await isSignedIn(visitor), false);
}

/** The path of an invitation by the owner. */
async function invite(email: string, role: string): Promise<string> {
  const boss = await dashboard.signIn(owner);
  const { text } = await boss.post('/settings/members', { intent: 'invite', email, role });
  return /\/invitations\/[\w-]+/.exec(text)?.[0] ?? assert.fail(text);
}

describe('sign-in by a provider', () => {
  test('sign-in by a provider uses PKCE, state and nonce, and opens the account with the same confirmed email', async () => {
    const ada = await dashboard.user('ada@bells.test', { role: 'member' });
    provider.person = somebody(ada.email);
    const visitor = dashboard.visitor();
    assert.match((await visitor.get('/login?next=%2Fcrons')).text, /Sign in with Bell House/);
    const answer = await signIn(visitor, '?next=%2Fcrons');
    assert.deepEqual([answer.status, answer.headers.get('Location')], [302, '/crons']);
    assert.match((await visitor.get('/settings/profile')).text, /ada@bells\.test/);
    const asked = provider.asked.at(-1);
    assert.equal(asked?.get('code_challenge_method'), 'S256');
    for (const name of ['state', 'nonce', 'code_challenge'])
      assert.ok((asked?.get(name) ?? '').length >= 40, name);
    const boss = await dashboard.signIn(owner);
    const activity = await boss.get('/settings/activity?area=access');
    assert.match(activity.text, /Joined their account to the sign-in provider/);
    assert.match(activity.text, /by Bell House/);
  });

  test('a user is recognized by issuer and subject, also with a new email', async () => {
    const bea = await dashboard.user('bea@bells.test', { role: 'member' });
    provider.person = somebody(bea.email);
    await signIn(dashboard.visitor());
    provider.person = { ...provider.person, email: owner.email };
    const visitor = dashboard.visitor();
    assert.equal((await signIn(visitor)).status, 302);
    assert.match((await visitor.get('/settings/profile')).text, /bea@bells\.test/);
  });

  test("sign-in by a provider needs no second factor and ends the browser's former session", async () => {
    const eve = await dashboard.user('eve@bells.test', { role: 'member' });
    const before = await dashboard.signIn(eve);
    const old = before.cookies.get('belfry.session_token') ?? '';
    provider.person = somebody(eve.email);
    assert.equal((await signIn(before)).status, 302);
    assert.notEqual(before.cookies.get('belfry.session_token'), old);
    const thief = dashboard.visitor();
    thief.cookies.set('belfry.session_token', old);
    assert.equal(await isSignedIn(thief), false);
  });

  test('sign-in by a provider starts by a button only, not by a link from another site', async () => {
    const visitor = dashboard.visitor();
    for (const site of ['cross-site', 'same-site']) {
      const led = await visitor.get('/login/provider?next=%2Fcrons', { 'Sec-Fetch-Site': site });
      assert.deepEqual([led.status, led.headers.get('Location')], [302, '/login?next=%2Fcrons']);
      assert.deepEqual(led.headers.getSetCookie(), []);
    }
    for (const site of ['same-origin', 'none']) {
      const { headers } = await visitor.get('/login/provider', { 'Sec-Fetch-Site': site });
      assert.ok(headers.get('Location')?.startsWith(provider.issuer), site);
    }
  });

  test('a provider sign-in by an invitation makes an account in its team and role', async () => {
    provider.person = somebody();
    const link = await invite(provider.person.email ?? '', 'viewer');
    const visitor = dashboard.visitor();
    assert.match((await visitor.get(link)).text, /Sign in with Bell House/);
    assert.equal((await signIn(visitor, `?next=${encodeURIComponent(link)}`)).status, 302);
    assert.match((await visitor.get('/')).text, /View only/);
    provider.person = somebody();
    const second = dashboard.visitor();
    const used = await signIn(second, `?next=${encodeURIComponent(link)}`);
    await assertRefused(second, used, /no account here yet/);
  });

  test('a provider sign-in returns to pages of this site only', async () => {
    provider.person = somebody((await dashboard.user('cay@bells.test', { role: 'member' })).email);
    const { headers } = await signIn(dashboard.visitor(), '?next=%2F%2Fevil.example');
    assert.equal(headers.get('Location'), '/');
  });
});

describe('rejected provider sign-ins', () => {
  test('a provider sign-in without a verified email is rejected', async () => {
    const dan = await dashboard.user('dan@bells.test', { role: 'member' });
    for (const claim of [{ email_verified: false }, {}]) {
      provider.person = { sub: 'unverified', email: dan.email, ...claim };
      const visitor = dashboard.visitor();
      await assertRefused(visitor, await signIn(visitor), /no email address of yours/);
    }
  });

  test('an account with an unconfirmed email is not linked', async () => {
    const squat = { name: 'Mallory', email: 'victim@bells.test', password: 'long enough' };
    const path = await invite('', 'member');
    const mallory = dashboard.visitor();
    assert.equal((await mallory.post(path, { intent: 'register', ...squat })).status, 302);
    provider.person = somebody(squat.email);
    const victim = dashboard.visitor();
    await assertRefused(victim, await signIn(victim), /the address is not confirmed yet/);
    // Until the operator vouches for it.
    const { operator } = dashboard.service.people;
    assert.ok(await operator.confirmEmail(squat.email));
    assert.equal((await signIn(victim)).status, 302);
  });

  test('an email that belonged to another user of the provider is rejected', async () => {
    const fay = await dashboard.user('fay@bells.test', { role: 'member' });
    provider.person = somebody(fay.email);
    await signIn(dashboard.visitor());
    provider.person = { ...somebody(fay.email), sub: 'who has the address now' };
    const visitor = dashboard.visitor();
    await assertRefused(visitor, await signIn(visitor), /belongs to another person/);
  });

  test('a provider response for another, missing or earlier request is rejected', async () => {
    const gus = await dashboard.user('gus@bells.test', { role: 'member' });
    provider.person = somebody(gus.email);
    const back = await comeBackWith(await leave(dashboard.visitor()));
    const victim = dashboard.visitor();
    await assertRefused(victim, await victim.get(back), /begun more than ten minutes ago/);
    await leave(victim);
    await assertRefused(victim, await victim.get(back), /the last sign-in that this browser began/);
  });

  test('a sign-in that another tab overtook leads to the page that it was for', async () => {
    const visitor = dashboard.visitor();
    provider.person = somebody((await dashboard.user('overtaken@bells.test')).email);
    const earlier = await comeBackWith(await leave(visitor, '?next=/queues'));
    const later = await comeBackWith(await leave(visitor, '?next=/crons'));
    const locationOf = async (path: string) => (await visitor.get(path)).headers.get('Location');
    assert.equal(await locationOf(later), '/crons');
    assert.equal(await locationOf(earlier), '/queues');
    assert.equal(await locationOf(later), '/crons', 'also by the Back button');
    assert.ok(await isSignedIn(visitor));
    const forged = earlier.replace(/state=[^&]+/, 'state=unknown');
    assert.equal((await visitor.get(forged)).status, 403);
    const other = dashboard.visitor();
    other.cookies.set('belfry_provider_pages', visitor.cookies.get('belfry_provider_pages') ?? '');
    await assertRefused(other, await other.get(earlier), /begun more than ten minutes ago/);
  });

  test('a used code, a changed state or cookie, or a refusal is rejected', async () => {
    const hal = await dashboard.user('hal@bells.test', { role: 'member' });
    provider.person = somebody(hal.email);
    const assertChangeRefused = async (
      words: RegExp,
      edit: (url: URL, visitor: Visitor) => void,
    ) => {
      const visitor = dashboard.visitor();
      const url = new URL(await comeBackWith(await leave(visitor)), dashboard.url);
      edit(url, visitor);
      await assertRefused(visitor, await visitor.get(url.pathname + url.search), words);
    };
    await assertChangeRefused(/the last sign-in that this browser began/, (url) =>
      url.searchParams.set('state', 'x'.repeat(43)),
    );
    await assertChangeRefused(/could not be verified/, (url) =>
      url.searchParams.set('code', 'x'.repeat(43)),
    );
    await assertChangeRefused(/begun more than ten minutes ago/, (_url, { cookies }) => {
      const [head, text = '', mark] = (cookies.get('belfry_provider') ?? '').split('.');
      const kept = JSON.parse(Buffer.from(text, 'base64url').toString()) as object;
      const forged = Buffer.from(JSON.stringify({ ...kept, nonce: 'mine' })).toString('base64url');
      cookies.set('belfry_provider', `${head}.${forged}.${mark}`);
    });
    await assertChangeRefused(/did not let you in/, (url) => {
      url.searchParams.delete('code');
      url.searchParams.set('error', 'access_denied');
    });
  });

  test("the log has the provider's error, or the check that its response failed", async () => {
    const env = { ...provider.env, OIDC_CLIENT_SECRET: 'another' };
    await using wrong = await startDashboard(env, { sends: false });
    provider.expect(wrong.url);
    provider.person = somebody();
    const causes = () =>
      wrong.events.flatMap(({ event, fields }) =>
        event === 'account.provider-failed' ? [String(Object(fields).cause)] : [],
      );
    assert.equal((await signIn(wrong.visitor())).status, 403);
    assert.match(causes().at(-1) ?? '', /^invalid_client: .+/);
    const visitor = wrong.visitor();
    const { headers } = await visitor.get('/login/provider');
    const back = await provider.visit(headers.get('Location') ?? '');
    await visitor.get(back.replace(wrong.url, '').replace(/iss=[^&]+/, 'iss=https://evil.example'));
    assert.match(causes().at(-1) ?? '', /"iss"/);
  });

  test('provider sign-ins are limited per address', async () => {
    const visitor = dashboard.visitor();
    const statuses = [];
    for (let n = 0; n < 21; n++) statuses.push((await visitor.get('/login/provider/back')).status);
    assert.deepEqual([statuses[0], statuses.at(-1)], [403, 429]);
  });
});

test('a user without a password confirms actions by a fresh provider sign-in', async () => {
  provider.person = somebody();
  const link = await invite('', 'member');
  const visitor = dashboard.visitor();
  await signIn(visitor, `?next=${encodeURIComponent(link)}`);
  const profile = await visitor.get('/settings/profile');
  assert.match(profile.text, /You have no password here/);
  assert.match(profile.text, /Confirm with Bell House/);
  assert.doesNotMatch(profile.text, /type="password"/);
  const generate = () => visitor.post('/settings/api-token', { password: '' });
  const refused = await generate();
  assert.equal(refused.status, 422);
  assert.match(refused.text, /Confirm with Bell House that it is you/);
  const guess = await visitor.post('/settings/api-token', { password: 'anything' });
  assert.equal(guess.status, 422);

  const again = await signIn(visitor, '?again=1&next=%2Fsettings%2Fapi-token');
  assert.equal(again.headers.get('Location'), '/settings/api-token');
  assert.equal(provider.asked.at(-1)?.get('prompt'), 'login');
  assert.equal(provider.asked.at(-1)?.get('max_age'), '0');
  const made = await generate();
  assert.match(made.text, /belfry_/);

  // The proof is of one session, and of none that is opened without being asked anew.
  const proof = visitor.cookies.get('belfry_provider_again') ?? '';
  await signIn(visitor);
  assert.equal((await generate()).status, 422);
  visitor.cookies.set('belfry_provider_again', proof);
  assert.equal((await generate()).status, 422);
});

test('a linked account is unlinked with the password, and never from its only way to sign in', async () => {
  const lou = await dashboard.user('lou@bells.test', { role: 'member' });
  provider.person = somebody(lou.email);
  const visitor = dashboard.visitor();
  await signIn(visitor);
  assert.match((await visitor.get('/settings/profile')).text, /Unlink Bell House/);
  const part = (password: string) =>
    visitor.post('/settings/profile', { intent: 'leave-provider', password });
  assert.equal((await part('not the password')).status, 422);
  assert.equal((await part(PASSWORD)).status, 302);
  assert.doesNotMatch((await visitor.get('/settings/profile')).text, /Unlink/);
  provider.person = { ...somebody(lou.email), sub: 'lou, who came back' };
  assert.equal((await signIn(dashboard.visitor())).status, 302, 'linked anew');

  const { operator } = dashboard.service.people;
  assert.deepEqual(await operator.unlink(lou.email), { wasLinked: true });
  assert.equal(await isSignedIn(visitor), false, 'the operator ends the sessions, too');

  provider.person = somebody();
  const link = await invite('', 'member');
  const guest = dashboard.visitor();
  await signIn(guest, `?next=${encodeURIComponent(link)}`);
  await signIn(guest, '?again=1');
  assert.doesNotMatch((await guest.get('/settings/profile')).text, /Unlink/);
  const forced = { intent: 'leave-provider', password: '' };
  assert.equal((await guest.post('/settings/profile', forced)).status, 422);
  assert.equal((await signIn(dashboard.visitor())).status, 302, 'still linked');
});

test('an unreachable provider blocks neither the start nor other ways to sign in', async () => {
  const away = await startProvider();
  await away.goAway();
  await using alone = await startDashboard(away.env, { sends: false });
  const user = await alone.user('jo@bells.test');
  const visitor = alone.visitor();
  const answer = await visitor.get('/login/provider');
  assert.equal(answer.status, 503);
  assert.match(answer.text, /Bell House does not answer just now/);
  const failed = alone.events.find(({ event }) => event === 'account.provider-failed');
  assert.match(JSON.stringify(failed?.fields), /ECONNREFUSED/);
  assert.ok(!JSON.stringify(alone.events).includes(away.env['OIDC_CLIENT_SECRET'] ?? '-'));
  assert.equal((await alone.signIn(user)).cookies.size > 0, true);
});

test('with passwords off only the provider can sign in', async () => {
  const env = { ...provider.env, PASSWORD_SIGN_IN: 'off', SIGN_UP: 'open' };
  await using strict = await startDashboard(env, { sends: false, host: 'localhost' });
  provider.expect(strict.url);
  const { people } = strict.service;
  const visitor = strict.visitor();
  provider.person = somebody();
  assert.equal((await signIn(visitor)).status, 403, 'nobody has set it up');
  const ada = await strict.user('ada@strict.test');
  const login = await visitor.get('/login');
  assert.match(login.text, /Sign in with Bell House/);
  assert.doesNotMatch(login.text, /type="password"|passkey|Forgot the password/);
  const posts = [
    ['/login', { email: ada.email, password: PASSWORD }, 422],
    ['/login/passkey', { intent: 'begin' }, 404],
    ['/register', { name: 'M', email: 'm@x.test', password: 'long enough', team: 'M' }, 404],
  ] as const;
  for (const [path, form, status] of posts)
    assert.equal((await visitor.post(path, form)).status, status, path);
  assert.equal((await visitor.get('/forgot-password')).status, 404);
  await visitor.post('/forgot-password', { email: ada.email });
  await people.close();
  assert.ok(!strict.events.some(({ event }) => event === 'mail.written-to-log'));
  assert.equal(people.operator.takesPasswords(), false);
  const reset = new URL((await people.operator.resetPasswordUrl(ada.email)) ?? '').pathname;
  await visitor.post(reset, { password: 'long enough' });
  const renewed = { email: ada.email, password: 'long enough' };
  assert.equal((await strict.visitor().post('/login', renewed)).status, 422);
  const actor = { userId: ada.userId, teamId: ada.teamId, role: 'owner' } as const;
  const desk = { clientAddress: '198.51.100.1' };
  const invited = await people.teams.invite(actor, { email: null, role: 'member' }, desk);
  assert.ok(invited.kind === 'invited');
  const path = new URL(invited.link).pathname;
  const guest = { name: 'Mal', email: 'mal@x.test', password: 'long enough' };
  assert.doesNotMatch((await visitor.get(path)).text, /type="password"/);
  assert.equal((await visitor.post(path, guest)).status, 422);
  assert.equal((await visitor.get('/settings/profile')).status, 302);

  provider.person = somebody(ada.email);
  assert.equal((await signIn(visitor)).status, 302);
  const token = await visitor.post('/settings/api-token', { password: PASSWORD });
  assert.equal(token.status, 422, 'a password stands for nothing any more');
  provider.person = somebody();
  const newcomer = strict.visitor();
  assert.equal((await signIn(newcomer)).status, 302);
  assert.match((await newcomer.get('/')).text, /Somebody(&#x27;|')s team/);
});
