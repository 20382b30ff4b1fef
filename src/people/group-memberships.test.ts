import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aUser, Browser, openPeople } from '#testing/people';

const PROXY = {
  emailHeader: 'remote-email',
  nameHeader: null,
  groupsHeader: 'remote-groups',
  groupSeparator: ',',
  from: [],
  signOutUrl: null,
};
const MINUTE_MS = 60_000;

test('groups that a team lets in later count within minutes, also after the clock was set back', async () => {
  await using room = await openPeople({ proxySignIn: PROXY });
  const { people, clock } = room;
  const { teamId, userId } = await aUser(room, 'owner@bells.test');
  const { userId: guest } = await aUser(room, 'guest@bells.test', { team: 'Elsewhere' });
  const browser = new Browser();
  const claim = { kind: 'person', email: 'guest@bells.test', name: null, groups: ['ops'] } as const;
  const arrive = async () => {
    const { session } = await people.accounts.arrive(claim, browser.request, 'anybody');
    browser.take(session ?? {});
    return session?.teams.map(({ id }) => id) ?? [];
  };
  await arrive();
  clock.jumpTo(clock.now() - 60 * MINUTE_MS);
  const owner = { userId, teamId, role: 'owner' } as const;
  await people.teams.setGroup(owner, { group: 'ops', role: 'viewer' });
  await clock.advance(6 * MINUTE_MS);
  assert.ok((await arrive()).includes(teamId));
  assert.equal(await room.store.members.findRole(teamId, guest), 'viewer');
});
