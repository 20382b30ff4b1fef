import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aUser, Browser, openPeople } from '#testing/people';

const PROXY = {
  emailHeader: 'remote-email',
  nameHeader: null,
  groupsHeader: null,
  groupSeparator: ',',
  from: [],
  signOutUrl: null,
};

test('sessions that a person opens by the button of an invitation are counted, too', async () => {
  await using room = await openPeople({ proxySignIn: PROXY });
  await aUser(room, 'ada@bells.test');
  const claim = { kind: 'person', email: 'ada@bells.test', name: null, groups: null } as const;
  const token = 'x'.repeat(43);
  const kinds: string[] = [];
  for (let n = 0; n < 31; n++) {
    const { request } = new Browser();
    kinds.push((await room.people.accounts.registerByProxy(token, claim, request)).kind);
  }
  assert.deepEqual([...new Set(kinds.slice(0, 30))], ['signed-in']);
  assert.equal(kinds.at(-1), 'too-many');
});

test('people whom nothing lets in use up nobody else’s turn to make an account', async () => {
  const proxySignIn = { ...PROXY, groupsHeader: 'remote-groups' };
  const groupRoles = [{ group: 'ops', team: 'Bells', role: 'member' }] as const;
  await using room = await openPeople({ proxySignIn, groupRoles });
  await aUser(room, 'owner@bells.test');
  // The address of a proxy that no setting counts is that of everybody.
  const { request } = new Browser();
  const arrive = (name: string, ...groups: string[]) =>
    room.people.accounts.arrive(
      { kind: 'person', email: `${name}@bells.test`, name: null, groups },
      request,
      'anybody',
    );
  for (let n = 0; n < 12; n++) {
    const { refusal } = await arrive('stranger', 'staff');
    assert.equal(refusal, 'no-account');
  }
  const { session, refusal } = await arrive('newcomer', 'ops');
  assert.deepEqual([session?.user.email, refusal], ['newcomer@bells.test', null]);
});
