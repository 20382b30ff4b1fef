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
