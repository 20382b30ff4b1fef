import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all } from '#store/database/rows';
import type { Actor } from './actor.ts';
import { aTeam, aUser, Browser, openPeople, PASSWORD, type TestPeople } from '#testing/people';

/** The client address of those who invite. */
const DESK = { clientAddress: '198.51.100.1' };
const WEEK_MS = 7 * 24 * 60 * 60_000;
const fay = { name: 'Fay', email: 'fay@new.test', password: PASSWORD };

async function anInvitation(
  { people }: TestPeople,
  actor: Actor,
  input: { email: string | null; role: 'admin' | 'member' } = { email: null, role: 'member' },
): Promise<string> {
  const invited = await people.teams.invite(actor, input, DESK);
  assert.ok(invited.kind === 'invited', JSON.stringify(invited));
  assert.match(invited.link, /^http:\/\/localhost:3000\/invitations\/[\w-]{43}$/);
  return invited.link.split('/').at(-1) ?? '';
}

test('an expired, revoked, replaced or unknown invitation does not work', async () => {
  await using fixture = await openPeople();
  const { owner } = await aTeam(fixture);
  const { teams } = fixture.people;
  const revoked = await anInvitation(fixture, owner);
  const [open] = await teams.listInvitations(owner);
  assert.equal(await teams.revokeInvitation(owner, open?.id ?? ''), true);
  const replaced = await anInvitation(fixture, owner, { email: fay.email, role: 'member' });
  const expired = await anInvitation(fixture, owner, { email: fay.email, role: 'member' });
  await fixture.clock.advance(WEEK_MS);
  const { userId } = await aUser(fixture, 'gus@else.test', { team: 'Elsewhere' });
  for (const token of [revoked, replaced, expired, '', 'x', 'A'.repeat(43)]) {
    assert.equal(await teams.readInvitation(token), null);
    assert.equal((await teams.acceptInvitation(token, userId)).kind, 'not-found');
    const answer = await teams.registerByInvitation(token, fay, new Browser().request);
    assert.equal(answer.kind, 'not-found');
  }
  assert.equal(await fixture.store.users.findByEmail(fay.email), null);
});

test('a newcomer can not change the email that the invitation names', async () => {
  await using fixture = await openPeople();
  const { owner } = await aTeam(fixture);
  const token = await anInvitation(fixture, owner, { email: 'gus@new.test', role: 'member' });
  const { registerByInvitation } = fixture.people.teams;
  const answer = await registerByInvitation(token, fay, new Browser().request);
  assert.equal(answer.kind, 'signed-in');
  assert.equal(await fixture.store.users.findByEmail(fay.email), null);
  assert.ok(await fixture.store.users.findByEmail('gus@new.test'));
});

test('who is a member already keeps their role, and the invitation its use', async () => {
  await using fixture = await openPeople();
  const { owner, member } = await aTeam(fixture);
  const { teams } = fixture.people;
  const token = await anInvitation(fixture, owner, { email: null, role: 'admin' });
  assert.deepEqual(await teams.acceptInvitation(token, member.userId), { kind: 'already-member' });
  assert.ok(await teams.readInvitation(token));
  const again = await teams.invite(owner, { email: 'member@bells.test', role: 'admin' }, DESK);
  assert.equal(again.kind, 'refused');
});

test('an admin who is removed or demoted does not come back by a link made before', async () => {
  await using fixture = await openPeople();
  const { owner, admin } = await aTeam(fixture);
  const { teams } = fixture.people;
  const first = await anInvitation(fixture, admin, { email: null, role: 'admin' });
  await teams.changeRole(owner, admin.userId, 'member');
  assert.equal((await teams.acceptInvitation(first, admin.userId)).kind, 'not-found');
  await teams.changeRole(owner, admin.userId, 'admin');
  const second = await anInvitation(fixture, admin, { email: null, role: 'admin' });
  await teams.removeMember(owner, admin.userId);
  assert.equal((await teams.acceptInvitation(second, admin.userId)).kind, 'not-found');
  assert.equal(await teams.proveMember(admin.userId, admin.teamId), null);
});

test('the invitations of another team can neither be seen nor revoked', async () => {
  await using fixture = await openPeople();
  const { owner } = await aTeam(fixture);
  const eve = await aUser(fixture, 'eve@else.test', { team: 'Elsewhere' });
  const actor: Actor = { userId: eve.userId, teamId: eve.teamId, role: 'owner' };
  await anInvitation(fixture, owner);
  const { teams } = fixture.people;
  const [open] = await teams.listInvitations(owner);
  assert.deepEqual(await teams.listInvitations(actor), []);
  assert.equal(await teams.revokeInvitation(actor, open?.id ?? ''), false);
  assert.equal(await teams.revokeInvitation(actor, 'x'), false);
  assert.equal((await teams.listInvitations(owner)).length, 1);
});

test('without SMTP the link is logged and returned, and its token is stored as a hash', async () => {
  await using fixture = await openPeople();
  const { owner } = await aTeam(fixture);
  const token = await anInvitation(fixture, owner, { email: fay.email, role: 'member' });
  const event = fixture.events.find(({ event }) => event === 'mail.written-to-log');
  assert.ok(String(event?.fields['link']).endsWith(token));
  assert.equal(event?.fields['to'], fay.email);
  const rows = await all(fixture.store.database, 'invitations', {});
  assert.ok(!JSON.stringify(rows).includes(token));
});
