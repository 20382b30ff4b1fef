import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before } from '#testing/hooks';
import { PASSWORD, startDashboard, type TestUser, useDashboard } from '#testing/dashboard';
import { type Answer, callHttp } from '#testing/client';
import type { Visitor } from '#testing/visitor';

/** §5.7: sign-in by the header of a proxy in front, and what others may try with it. */

const ENV = {
  PROXY_SIGN_IN_HEADER: 'Remote-Email',
  PROXY_SIGN_IN_NAME_HEADER: 'Remote-Name',
  PROXY_SIGN_IN_FROM: '127.0.0.1',
};

let owner: TestUser;

const dashboard = useDashboard(ENV, { sends: false });
before(async () => {
  owner = await dashboard.user('owner@bells.test');
});

const as = (email: string) => ({ 'Remote-Email': email });
const member = (email: string) => dashboard.user(email, { role: 'member' });

/** Whose profile the answer shows; null where it leads to the sign-in. */
function shownTo({ status, headers, text: page }: Answer): string | null {
  if (status === 302) assert.match(headers.get('Location') ?? '', /^\/login/);
  return /name="email"[^>]*value="([^"]+)"/.exec(page)?.[1] ?? null;
}

const profile = async (visitor: Visitor, headers: Record<string, string> = {}) =>
  shownTo(await visitor.get('/settings/profile', headers));

/** A request whose headers go out as they are written, from an address of choice. */
async function sendRaw(
  headers: [name: string, value: string][],
  { to = '/settings/profile', localAddress = '127.0.0.1' } = {},
) {
  const { href, host } = new URL(to, dashboard.url);
  const answer = await callHttp(href, {
    method: 'GET',
    localAddress,
    rawHeaders: [['Host', host], ...headers].flat(),
  });
  return { ...answer, location: answer.headers.get('location') ?? '' };
}

async function invite(boss: Visitor, email = '', headers: Record<string, string> = {}) {
  const form = { intent: 'invite', email, role: 'viewer' };
  const { text: page } = await boss.post('/settings/members', form, headers);
  return /\/invitations\/[\w-]+/.exec(page)?.[0] ?? '';
}

const fromOurs = () => ({ Origin: dashboard.url });

describe('sign-in by a proxy', () => {
  test('a proxy user is signed in as the account with the same confirmed email', async () => {
    const ada = await member('ada@bells.test');
    const visitor = dashboard.visitor();
    const first = await visitor.get('/crons', as('Ada@Bells.test'));
    assert.equal(first.status, 200);
    assert.equal(await profile(visitor, as(ada.email)), ada.email);
    const login = await visitor.get('/login?next=%2Fjobs', as(ada.email));
    assert.equal(login.headers.get('Location'), '/jobs');
    const boss = await dashboard.signIn(owner);
    const activity = await boss.get('/settings/activity?area=access');
    assert.match(activity.text, /Joined their account to the sign-in provider/);
    assert.match(activity.text, /by the proxy/);
  });

  test('a proxy user joins by an invitation with one button; opening the link does not use it up', async () => {
    const boss = await dashboard.signIn(owner);
    const link = await invite(boss, '', fromOurs());
    const eve = dashboard.visitor();
    const who = { ...as('eve@bells.test'), 'Remote-Name': 'Eve Bell' };
    const offer = await eve.get(link, who);
    assert.match(offer.text, /Create account and join/);
    assert.match(offer.text, /You are eve@bells\.test to the proxy/);
    assert.doesNotMatch(offer.text, /type="password"/);
    assert.equal((await eve.post(link, {}, { ...who, ...fromOurs() })).status, 302);
    assert.match((await eve.get('/', who)).text, /View only/);
    assert.match((await eve.get('/settings/profile', who)).text, /Eve Bell/);
  });

  test('without a sign-out address of the proxy, signing out explains how to sign out there', async () => {
    const fay = await member('fay@bells.test');
    const visitor = dashboard.visitor();
    await visitor.get('/', as(fay.email));
    const out = await visitor.post('/logout', {}, { ...as(fay.email), ...fromOurs() });
    assert.equal(out.headers.get('Location'), '/');
    assert.match((await visitor.get('/', as(fay.email))).text, /Sign out there/);
  });
});

describe("the proxy's header", () => {
  test("the proxy's header from another address is ignored and logged once", async () => {
    const before = dashboard.events.length;
    const headers: [string, string][] = [
      ['Remote-Email', owner.email],
      ['X-Forwarded-For', '127.0.0.1'],
    ];
    for (let n = 0; n < 2; n++) {
      const { location, setCookies } = await sendRaw(headers, { localAddress: '127.0.0.9' });
      assert.equal(location, '/login?next=%2Fsettings%2Fprofile');
      assert.deepEqual(setCookies, []);
    }
    const logged = dashboard.events
      .slice(before)
      .filter(({ event }) => event === 'proxy.sign-in-not-trusted');
    assert.equal(logged.length, 1);
    assert.match(JSON.stringify(logged[0]?.fields), /127\.0\.0\.9.*PROXY_SIGN_IN_FROM/);
    assert.ok(!JSON.stringify(logged).includes(owner.email));
  });

  test("the proxy's header sent twice is rejected, also with a session", async () => {
    const hal = await member('hal@bells.test');
    const visitor = await dashboard.signIn(hal);
    const cookie = `belfry.session_token=${visitor.cookies.get('belfry.session_token') ?? ''}`;
    assert.equal((await sendRaw([['Cookie', cookie]])).status, 200);
    const twice: [string, string][] = [
      ['Remote-Email', hal.email],
      ['remote-email', hal.email],
    ];
    const { location, setCookies } = await sendRaw([...twice, ['Cookie', cookie]]);
    assert.match(location, /^\/login/);
    assert.deepEqual(setCookies, []);
    const login = await sendRaw(twice, { to: '/login' });
    assert.match(login.text, /contradictory or invalid headers/);
  });

  test("a job can't send the proxy's header to this installation", async () => {
    const url = `${dashboard.url}/settings/profile`;
    const send = (headers: [name: string, value: string][]) =>
      dashboard.service.sender.send(
        { method: 'GET', url, headers, body: null },
        { timeoutSeconds: 5 },
      );
    const refused = await send([['remote-EMAIL', owner.email]]);
    assert.ok(refused.kind === 'broken', refused.kind);
    assert.equal(refused.fault, 'header-of-sign-in');
    const without = await send([['X-Other', owner.email]]);
    assert.ok(without.kind === 'answered');
    assert.equal(without.status, 302, 'the installation can be reached, as nobody');
  });

  test("the API ignores the proxy's header", async () => {
    const answer = await fetch(`${dashboard.url}/api/jobs`, {
      method: 'POST',
      headers: { ...as(owner.email), 'Content-Type': 'application/json' },
      body: JSON.stringify({ queue: 'q', url: 'https://example.com/' }),
    });
    assert.equal(answer.status, 401);
  });
});

describe('a request through the proxy', () => {
  test('a request is from the user in the header, and without the header from no user', async () => {
    const [jo, kim] = [await member('jo@bells.test'), await member('kim@bells.test')];
    const visitor = dashboard.visitor();
    for (const { email } of [jo, kim, jo]) assert.equal(await profile(visitor, as(email)), email);
    assert.equal(await profile(visitor), null);
    const form = { intent: 'name', name: 'Mallory', for_team: jo.teamId };
    assert.equal((await visitor.post('/settings/profile', form, fromOurs())).status, 401);
  });

  test('a form opened by another user changes nothing', async () => {
    const [lea, max] = [await member('lea@bells.test'), await member('max@bells.test')];
    const visitor = dashboard.visitor();
    const { text: page } = await visitor.get('/settings/profile', as(lea.email));
    await visitor.get('/settings/profile', as(max.email));
    const person = /name="for_person" value="([^"]+)"/.exec(page)?.[1] ?? '';
    assert.equal(person, lea.userId);
    const form = { intent: 'name', name: 'Changed', for_person: person };
    const send = (email: string) =>
      visitor.post('/settings/profile', form, { ...as(email), ...fromOurs() });
    const refused = await send(max.email);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /opened by another user/);
    assert.doesNotMatch((await visitor.get('/settings/profile', as(max.email))).text, /Changed/);
    assert.equal((await send(lea.email)).status, 302);
  });
});

describe('rejected proxy sign-ins', () => {
  const assertRefused = async (email: string, words: RegExp) => {
    const visitor = dashboard.visitor();
    assert.match(
      (await visitor.get('/crons', as(email))).headers.get('Location') ?? '',
      /^\/login\?next=/,
    );
    assert.match((await visitor.get('/login', as(email))).text, words);
    assert.equal(visitor.cookies.has('belfry.session_token'), false);
  };

  test("a proxy sign-in doesn't get an unconfirmed account with the same email", async () => {
    const link = await invite(await dashboard.signIn(owner), '', fromOurs());
    const squat = { name: 'Mallory', email: 'victim@bells.test', password: 'long enough' };
    const mallory = dashboard.visitor();
    assert.equal((await mallory.post(link, squat)).status, 302);
    await assertRefused(squat.email, /the address is not confirmed yet/);
  });

  test("a proxy user without an account or with another's invitation is rejected", async () => {
    await assertRefused('sue@bells.test', /need an invitation/);
    const link = await invite(await dashboard.signIn(owner), 'tom@bells.test', fromOurs());
    const sue = dashboard.visitor();
    const offer = await sue.get(link, as('sue@bells.test'));
    assert.match(offer.text, /The invitation is for tom@bells\.test/);
    assert.doesNotMatch(offer.text, /Create account and join/);
    const sent = await sue.post(link, {}, { ...as('sue@bells.test'), ...fromOurs() });
    assert.equal(sent.status, 403);
  });
});

test('with proxy sign-in only, passwords are neither accepted nor asked for', async () => {
  const PROXY_SIGN_OUT_URL = 'https://auth.example/logout';
  const env = { ...ENV, PASSWORD_SIGN_IN: 'off', SIGN_UP: 'open', PROXY_SIGN_OUT_URL };
  await using strict = await startDashboard(env, { sends: false });
  const uma = await strict.user('uma@strict.test');
  const login = await strict.visitor().get('/login');
  assert.match(login.text, /this request has no name from the proxy/);
  assert.doesNotMatch(login.text, /type="password"|passkey/);
  const form = { email: uma.email, password: PASSWORD };
  assert.equal((await strict.visitor().post('/login', form)).status, 422);
  const visitor = strict.visitor();
  const page = await visitor.get('/settings/api-token', as(uma.email));
  assert.match(page.text, /the proxy says with each page that it is you/);
  const headers = { ...as(uma.email), Origin: strict.url };
  const made = await visitor.post('/settings/api-token', { password: '' }, headers);
  assert.match(made.text, /belfry_/);
  const policy = page.headers.get('Content-Security-Policy') ?? '';
  assert.match(policy, /form-action 'self' https:\/\/auth\.example;/);
  const left = await visitor.post('/logout', {}, headers);
  assert.equal(left.headers.get('Location'), PROXY_SIGN_OUT_URL);

  const newcomer = strict.visitor();
  await newcomer.get('/forgot-password', as('vic@strict.test'));
  const { users } = strict.service.store;
  assert.equal(await users.findByEmail('vic@strict.test'), null, 'a public page makes none');
  const home = await newcomer.get('/', { ...as('vic@strict.test'), 'Remote-Name': 'Vic' });
  assert.match(home.text, /Vic(&#x27;|')s team/);
});
