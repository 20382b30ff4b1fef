import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all } from '#store/database/rows';
import { aUser, Browser, openPeople, PASSWORD } from '#testing/people';

const PROXY = {
  emailHeader: 'remote-email',
  nameHeader: null,
  groupsHeader: null,
  groupSeparator: ',',
  from: [],
  signOutUrl: null,
};
const claimOf = (email: string, groups: readonly string[] | null = null) =>
  ({ kind: 'person', email, name: null, groups }) as const;

test('the proxy’s word counts, and the session of another person’s cookie does nothing', async () => {
  await using fixture = await openPeople({ proxySignIn: PROXY });
  await aUser(fixture, 'ada@bells.test');
  await aUser(fixture, 'bob@bells.test');
  const browser = new Browser();
  assert.equal((await browser.signIn(fixture, 'bob@bells.test')).kind, 'signed-in');
  const request = { ...browser.request, claim: claimOf('ada@bells.test') };
  const { accounts } = fixture.people;
  const { session } = await accounts.arrive(request, 'known');
  assert.deepEqual([session?.user.email, session?.setCookies], ['ada@bells.test', []]);
  assert.equal((await all(fixture.store.database, 'sessions', {})).length, 1, 'the other’s');
  const input = { currentPassword: PASSWORD, password: 'another long one' };
  assert.equal((await accounts.changePassword(input, request)).kind, 'refused');
  assert.equal((await accounts.beginSecondFactor({ password: PASSWORD }, request)).kind, 'refused');
  assert.equal((await accounts.beginPasskey({ password: PASSWORD }, request)).kind, 'refused');
  assert.equal((await browser.session(fixture))?.user.email, 'bob@bells.test', 'as it was');
  assert.equal((await new Browser().signIn(fixture, 'bob@bells.test')).kind, 'signed-in');
  const unsure = { ...browser.request, claim: { kind: 'untrusted' } } as const;
  const refused = await accounts.arrive(unsure, 'anybody');
  assert.deepEqual(refused, { session: null, refusal: 'untrusted' });
});

test('a form by a proxy user neither links nor makes an account', async () => {
  await using fixture = await openPeople({ proxySignIn: PROXY, signUp: 'open' });
  await aUser(fixture, 'ada@bells.test');
  const { accounts } = fixture.people;
  for (const email of ['ada@bells.test', 'new@bells.test']) {
    const request = { ...new Browser().request, claim: claimOf(email) };
    assert.deepEqual(await accounts.arrive(request, 'joined'), { session: null, refusal: null });
    await accounts.arrive(request, 'anybody');
    assert.equal((await accounts.arrive(request, 'joined')).session?.user.email, email);
  }
});

test('rejected proxy users do not use up the limit of new accounts', async () => {
  const proxySignIn = { ...PROXY, groupsHeader: 'remote-groups' };
  const groupRoles = [{ group: 'ops', team: 'Bells', role: 'member' }] as const;
  await using fixture = await openPeople({ proxySignIn, groupRoles });
  await aUser(fixture, 'owner@bells.test');
  // The address of a proxy that no setting counts is that of everybody.
  const { request } = new Browser();
  const arrive = (name: string, ...groups: string[]) => {
    const claim = claimOf(`${name}@bells.test`, groups);
    return fixture.people.accounts.arrive({ ...request, claim }, 'anybody');
  };
  for (let n = 0; n < 12; n++) {
    const { refusal } = await arrive('unknown', 'staff');
    assert.equal(refusal, 'no-account');
  }
  const { session, refusal } = await arrive('newcomer', 'ops');
  assert.deepEqual([session?.user.email, refusal], ['newcomer@bells.test', null]);
});
