import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { newId } from '#domain/base/ids';
import { NotAllowed } from '#domain/http/not-allowed';
import type { Actor } from './actor.ts';
import { aTeam, aUser, openPeople, type TestPeople } from '#testing/people';

/** The client address of those who invite. */
const DESK = { headers: new Headers(), clientAddress: '198.51.100.1' };

const NO_ID = '018f0000-0000-7000-8000-000000000000';

type Act = (people: TestPeople['people'], actor: Actor) => Promise<unknown>;

/** Every call that needs more than membership, by the least role that may make it. */
const GUARDED: Record<'admin' | 'owner', Record<string, Act>> = {
  admin: {
    renameTeam: ({ teams }, actor) => teams.renameTeam(actor, 'New name'),
    listMembers: ({ teams }, actor) => teams.listMembers(actor),
    changeRole: ({ teams }, actor) => teams.changeRole(actor, NO_ID, 'admin'),
    removeMember: ({ teams }, actor) => teams.removeMember(actor, NO_ID),
    listInvitations: ({ teams }, actor) => teams.listInvitations(actor),
    invite: ({ teams }, actor) => teams.invite(actor, { email: null, role: 'admin' }, DESK),
    revokeInvitation: ({ teams }, actor) => teams.revokeInvitation(actor, NO_ID),
    readSigningSecrets: ({ signing }, actor) => signing.readSigningSecrets(actor),
    revealSigningSecret: ({ signing }, actor) => signing.revealSigningSecret(actor),
    generateSigningSecret: ({ signing }, actor) => signing.generateSigningSecret(actor),
    deleteSigningSecret: ({ signing }, actor) => signing.deleteSigningSecret(actor),
    listServiceAccounts: ({ serviceAccounts }, actor) => serviceAccounts.list(actor),
    createServiceAccount: ({ serviceAccounts }, actor) =>
      serviceAccounts.create(actor, { name: 'billing', password: 'any password' }, DESK),
    resendConfirmation: ({ channelAddresses }, actor) =>
      channelAddresses.resendConfirmation(actor, NO_ID),
    revokeServiceAccount: ({ serviceAccounts }, actor) => serviceAccounts.revoke(actor, NO_ID),
  },
  owner: {
    describeTeamDeletion: ({ teams }, actor) => teams.describeTeamDeletion(actor),
    deleteTeam: ({ teams }, actor) => teams.deleteTeam(actor, 'not its name'),
    transferTeam: ({ teams }, actor) => teams.transferTeam(actor, NO_ID),
  },
};

for (const least of ['admin', 'owner'] as const) {
  test(`calls for ${least === 'owner' ? 'the owner' : 'admins'} are rejected for other users, whatever role they claim`, async () => {
    await using fixture = await openPeople();
    const team = await aTeam(fixture);
    const outsider = await aUser(fixture, 'eve@else.test', { team: 'Elsewhere' });
    const claims: Actor[] = [
      team.member,
      { ...team.member, role: 'owner' },
      { userId: outsider.userId, teamId: team.owner.teamId, role: 'owner' },
      { userId: 'x', teamId: team.owner.teamId, role: 'owner' },
      ...(least === 'owner' ? [team.admin, { ...team.admin, role: 'owner' as const }] : []),
    ];
    for (const [name, act] of Object.entries(GUARDED[least])) {
      for (const actor of claims)
        await assert.rejects(act(fixture.people, actor), NotAllowed, name);
      await act(fixture.people, team.owner);
      if (least === 'admin') await act(fixture.people, team.admin);
    }
  });
}

test('an admin can neither remove nor demote the owner, nor make one', async () => {
  await using fixture = await openPeople();
  const { owner, admin, member } = await aTeam(fixture);
  const { teams } = fixture.people;
  assert.deepEqual(await teams.removeMember(admin, owner.userId), { kind: 'not-found' });
  assert.deepEqual(await teams.changeRole(admin, owner.userId, 'member'), { kind: 'not-found' });
  const made = await teams.changeRole(admin, member.userId, 'owner' as 'admin');
  assert.deepEqual(made, { kind: 'not-found' });
  const roles = (await teams.listMembers(owner)).map((person) => person.role);
  assert.deepEqual(roles, ['admin', 'member', 'owner']);
});

test('members of another team are out of reach', async () => {
  await using fixture = await openPeople();
  const { owner } = await aTeam(fixture);
  const other = await aUser(fixture, 'eve@else.test', { team: 'Elsewhere' });
  const friend = await aUser(fixture, 'fay@else.test', { team: 'Elsewhere' });
  const { teams } = fixture.people;
  for (const userId of [other.userId, friend.userId, NO_ID, 'x', "' or 1=1 --"]) {
    assert.deepEqual(await teams.changeRole(owner, userId, 'admin'), { kind: 'not-found' });
    assert.deepEqual(await teams.removeMember(owner, userId), { kind: 'not-found' });
    assert.deepEqual(await teams.transferTeam(owner, userId), { kind: 'not-found' });
    assert.equal(await teams.switchTeam(owner.userId, userId), false);
  }
  assert.equal(await teams.switchTeam(owner.userId, other.teamId), false);
});

test('the owner can not leave; a member who left is in it no longer', async () => {
  await using fixture = await openPeople();
  const { owner, member } = await aTeam(fixture);
  const { teams } = fixture.people;
  assert.deepEqual(await teams.leaveTeam(owner), { kind: 'is-owner' });
  assert.deepEqual(await teams.leaveTeam(member), { kind: 'done' });
  await assert.rejects(teams.leaveTeam(member), NotAllowed);
  assert.equal((await teams.listMembers(owner)).length, 2);
});

test('a name is kept on one line and refused if it is empty, too long or shaped like an id', async () => {
  await using fixture = await openPeople();
  const { owner } = await aTeam(fixture);
  const { teams } = fixture.people;
  for (const name of ['', ' \n ', 'x'.repeat(101)]) {
    assert.equal((await teams.renameTeam(owner, name)).kind, 'refused');
    assert.equal((await teams.createTeam(owner.userId, name)).kind, 'refused');
  }
  for (const name of [newId(1), ` ${randomUUID().toUpperCase()}`]) {
    const refused = {
      kind: 'refused',
      errors: { name: ['Choose a name that does not look like an id.'] },
    };
    assert.deepEqual(await teams.renameTeam(owner, name), refused);
    assert.deepEqual(await teams.createTeam(owner.userId, name), refused);
  }
  await teams.renameTeam(owner, '  <b>Bells</b>\r\n& more ');
  const [team] = await fixture.people.operator.listTeams();
  assert.equal(team?.name, '<b>Bells</b> & more');
});
