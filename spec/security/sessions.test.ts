import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { change } from '#store/database/rows';
import { PASSWORD, startDashboard, type TestDashboard } from '#testing/dashboard';

/** Somebody has a copy of a session's cookie: how long is it of use? */

const ADA = 'ada@bells.test';
const DAY_MS = 24 * 3600 * 1000;

/** As if it had been signed in to that long ago, and used every day since. */
function ageSessions({ service }: TestDashboard, days: number): Promise<unknown> {
  const created_at = Date.now() - days * DAY_MS;
  return change(service.store.database, 'sessions', {}, { created_at });
}

function copyOf(dashboard: TestDashboard, from: { cookies: ReadonlyMap<string, string> }) {
  const thief = dashboard.visitor();
  for (const [name, value] of from.cookies) thief.cookies.set(name, value);
  return thief;
}

describe('a copied session', () => {
  test('a session ends after SESSION_MAX_DAYS even if it is used', async () => {
    await using dashboard = await startDashboard({ SESSION_MAX_DAYS: '7' });
    const thief = copyOf(dashboard, await dashboard.signIn(await dashboard.user(ADA)));
    await ageSessions(dashboard, 6);
    assert.equal((await thief.get('/settings/profile')).status, 200);
    await ageSessions(dashboard, 7);
    assert.equal((await thief.get('/settings/profile')).status, 302);
    assert.equal((await thief.get('/settings/profile')).status, 302, 'and does not come back');
  });

  test('the operator can end all sessions of a user', async () => {
    await using dashboard = await startDashboard();
    const user = await dashboard.user(ADA);
    const { operator, findTokenOwner } = { ...dashboard.service.people };
    const thief = copyOf(dashboard, await dashboard.signIn(user));
    const link = new URL((await operator.resetPasswordUrl(ADA)) ?? '').pathname;
    assert.equal(await operator.signOut('nobody@bells.test', { revokesToken: true }), null);
    assert.equal((await thief.get('/settings/profile')).status, 200);
    assert.ok(await operator.signOut(ADA, { revokesToken: false }));
    assert.equal((await thief.get('/settings/profile')).status, 302);
    assert.equal((await thief.post(link, { password: 'a thief’s own' })).status, 422);
    assert.ok(await findTokenOwner(user.apiToken), 'the token stays unless it is named');
    await operator.signOut(ADA, { revokesToken: true });
    assert.equal(await findTokenOwner(user.apiToken), null);
  });

  test('a session ends when its browser signs in again, as any user', async () => {
    await using dashboard = await startDashboard();
    const user = await dashboard.user(ADA);
    await dashboard.user('bob@bells.test', { role: 'member' });
    for (const email of [ADA, 'bob@bells.test']) {
      const browser = await dashboard.signIn(user);
      const thief = copyOf(dashboard, browser);
      assert.equal((await browser.post('/login', { email, password: PASSWORD })).status, 302);
      assert.equal((await thief.get('/settings/profile')).status, 302, 'the old one ended');
      assert.equal((await browser.get('/settings/profile')).status, 200, 'the new one holds');
    }
  });

  test('a failed sign-in does not end a session', async () => {
    await using dashboard = await startDashboard();
    const browser = await dashboard.signIn(await dashboard.user(ADA));
    await browser.post('/login', { email: ADA, password: 'wrong password' });
    assert.equal((await browser.get('/settings/profile')).status, 200);
  });
});

test("the session cookie can't be set by another host, and its http name is ignored", async () => {
  await using dashboard = await startDashboard({ BASE_URL: 'https://belfry.example' });
  const user = await dashboard.user(ADA);
  const visitor = dashboard.visitor();
  const answer = await visitor.post('/login', { email: user.email, password: PASSWORD });
  const names = answer.setCookies.map((text) => text.slice(0, text.indexOf('=')));
  assert.ok(names.includes('__Host-belfry.session_token'), String(names));
  for (const text of answer.setCookies) {
    assert.match(text, /^__Host-/);
    assert.match(text, /; Secure/i);
    assert.match(text, /; Path=\/(;|$)/i);
    assert.match(text, /; HttpOnly/i);
    assert.doesNotMatch(text, /Domain=/i);
  }
  assert.match(answer.headers.get('Strict-Transport-Security') ?? '', /max-age=\d+/);
  assert.equal((await visitor.get('/settings/profile')).status, 200);
  const themed = await visitor.post('/theme', { theme: 'dark' });
  assert.ok(themed.setCookies.length > 0);
  for (const text of themed.setCookies) assert.match(text, /^__Host-.*; Secure/i);
  assert.match((await visitor.get('/settings/profile')).text, /data-theme="dark"/);
  const value = visitor.cookies.get('__Host-belfry.session_token') ?? '';
  for (const name of ['__Secure-belfry.session_token', 'belfry.session_token']) {
    const thief = dashboard.visitor();
    thief.cookies.set(name, value);
    assert.equal((await thief.get('/settings/profile')).status, 302, name);
  }
  await visitor.post('/logout', {});
  assert.equal((await visitor.get('/settings/profile')).status, 302);
});
