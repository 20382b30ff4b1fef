import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aUser, registerUser } from '#testing/factories';
import { forEachStore, type TestStore } from '#testing/stores';
import type { InvitedRole } from '../tables/accounts.ts';
import type { Mapped } from './group-memberships.ts';

let people = 0;
const newEmail = () => `p${++people}@bells.test`;

/** Somebody in a team of that name; its owner if they are the first. */
async function aPerson(store: TestStore, name: string, role: InvitedRole | null = null) {
  return aUser(store, newEmail(), { team: { kind: 'named', name, plan: 'free', role } });
}

/** What came of it: `joined admin`, `left`. */
async function apply(store: TestStore, userId: string, ...mapped: Mapped[]): Promise<string[]> {
  const changes = await store.groupMemberships.apply(userId, mapped, store.clock.now());
  return changes.map((change) =>
    change.kind === 'left' ? change.kind : `${change.kind} ${change.role}`,
  );
}

const roleOf = (store: TestStore, { teamId }: { teamId: string }, { userId }: { userId: string }) =>
  store.members.findRole(teamId, userId);

forEachStore((_name, openTestStore) => {
  describe('memberships by groups', () => {
    test('groups make, change and end memberships; the highest role counts', async () => {
      const statements: string[] = [];
      await using store = await openTestStore({ onStatement: ({ sql }) => statements.push(sql) });
      const bells = await aPerson(store, 'Bells');
      const guest = await aPerson(store, 'Elsewhere');
      const { teamId } = bells;
      const staff = { teamId, group: 'staff', role: 'member' } as const;
      const ops = { teamId, group: 'ops', role: 'admin' } as const;
      const interns = { teamId, group: 'interns', role: 'viewer' } as const;
      assert.deepEqual(await apply(store, guest.userId, interns, ops, staff), ['joined admin']);
      statements.length = 0;
      assert.deepEqual(await apply(store, guest.userId, interns, ops, staff), []);
      assert.match(statements.join('\n'), /^select[^\n]*$/, 'nothing is written');
      const now = store.clock.now();
      const expiresAt = now + 1000;
      const invitation = { teamId, tokenHash: 'a'.repeat(64), email: null, expiresAt };
      const invitedBy = guest.userId;
      await store.invitations.create({ ...invitation, role: 'admin', invitedBy }, now);
      assert.deepEqual(await apply(store, guest.userId, interns), ['role viewer']);
      assert.deepEqual(await store.invitations.list(teamId, now), [], 'those of a former admin');
      assert.equal(await roleOf(store, bells, guest), 'viewer');
      const groups = (await store.members.list(teamId)).map(({ group }) => group);
      assert.deepEqual(new Set(groups), new Set(['interns', null]));
      assert.deepEqual(await apply(store, guest.userId), ['left']);
      assert.equal(await roleOf(store, bells, guest), null);
    });

    test('groups never change a membership that was made by hand', async () => {
      await using store = await openTestStore();
      const bells = await aPerson(store, 'Bells');
      const byHand = await aPerson(store, 'Bells', 'viewer');
      const ops = { teamId: bells.teamId, group: 'ops', role: 'admin' } as const;
      for (const { userId } of [bells, byHand]) {
        assert.deepEqual(await apply(store, userId, ops), []);
        assert.deepEqual(await apply(store, userId), []);
      }
      assert.equal(await roleOf(store, bells, byHand), 'viewer');
      assert.equal(await roleOf(store, bells, bells), 'owner');

      const promoted = await aPerson(store, 'Elsewhere');
      await apply(store, promoted.userId, ops);
      await store.members.changeRole(bells.teamId, promoted.userId, 'member');
      assert.deepEqual(await apply(store, promoted.userId), []);
      assert.equal(await roleOf(store, bells, promoted), 'member');

      const heir = await aPerson(store, 'Elsewhere too');
      await apply(store, heir.userId, ops);
      const parties = { ownerId: bells.userId, toUserId: heir.userId, mostOwned: 10 };
      await store.members.transfer(bells.teamId, parties);
      assert.deepEqual(await apply(store, heir.userId), []);
      assert.equal(await roleOf(store, bells, heir), 'owner');
    });

    test('groups leave a team its last owner or admin in simultaneous sign-ins', async () => {
      await using store = await openTestStore();
      const { id: teamId } = await store.teams.create('Without an owner', 'free', 1);
      const ops = { teamId, group: 'ops', role: 'admin' } as const;
      const staff = { teamId, group: 'staff', role: 'member' } as const;
      const [one, two] = [await aPerson(store, 'One'), await aPerson(store, 'Two')];
      for (const { userId } of [one, two]) await apply(store, userId, ops);
      const changes = await Promise.all([
        apply(store, one.userId),
        apply(store, two.userId, staff),
      ]);
      assert.equal(changes.flat().length, 1, 'one of them stays');
      const left = (await store.members.list(teamId)).filter(({ role }) => role === 'admin');
      assert.equal(left.length, 1);
    });

    test('memberships by groups never become the current team', async () => {
      await using store = await openTestStore();
      const bells = await aPerson(store, 'Bells');
      const guest = await aPerson(store, 'Elsewhere');
      const ops = { teamId: bells.teamId, group: 'ops', role: 'member' } as const;
      const currentTeam = async () => (await store.users.find(guest.userId))?.currentTeamId;
      await apply(store, guest.userId, ops);
      assert.equal(await currentTeam(), guest.teamId);
      await store.members.deleteTeam(guest.teamId, store.clock.now());
      await apply(store, guest.userId, ops, { ...ops, role: 'admin' });
      assert.equal(await currentTeam(), guest.teamId, 'deleted, so none');
      await store.users.switchTeam(guest.userId, bells.teamId, store.clock.now());
      assert.equal(await currentTeam(), bells.teamId, 'by choice alone');
      await apply(store, guest.userId);
      assert.equal(await currentTeam(), null);
      await apply(store, guest.userId, ops);
      assert.equal(await currentTeam(), null);
    });

    test('memberships by groups admit new users without a current team, and none into a deleted team', async () => {
      await using store = await openTestStore();
      const bells = await aPerson(store, 'Bells');
      const mapped = [{ teamId: bells.teamId, group: 'ops', role: 'viewer' }] as const;
      const team = { kind: 'by-groups', mapped } as const;
      const came = await aUser(store, newEmail(), { team });
      assert.deepEqual([came.teamId, came.role, came.group], [bells.teamId, 'viewer', 'ops']);
      assert.equal((await store.users.find(came.userId))?.currentTeamId, null);
      assert.deepEqual(await apply(store, came.userId, ...mapped), []);
      await store.members.deleteTeam(bells.teamId, store.clock.now());
      assert.deepEqual(await apply(store, came.userId, ...mapped), []);
      const late = await registerUser(store, newEmail(), { team });
      assert.equal(late.kind, 'not-invited');
    });
  });
});
