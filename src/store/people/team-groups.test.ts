import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forEachStore, type TestStore } from '#testing/stores';
import type { InvitedRole } from '../database/accounts-schema.ts';
import { MOST_GROUPS_OF_TEAM } from './team-groups.ts';
import type { Registered, StartingTeam } from './registration.ts';

let people = 0;

async function register(store: TestStore, team: StartingTeam): Promise<Registered> {
  const email = `p${++people}@bells.test`;
  const account = { email, name: email, passwordHash: null, isEmailVerified: true };
  return store.registrations.register(
    { account, team, token: null, isFirst: false },
    store.clock.now(),
  );
}

/** Somebody in a team of that name; its owner if they are the first. */
async function aPerson(store: TestStore, name: string, role: InvitedRole | null = null) {
  const made = await register(store, { kind: 'named', name, plan: 'free', role });
  assert.ok(made.kind === 'registered');
  return made;
}

const set = (store: TestStore, teamId: string, name: string, role: InvitedRole) =>
  store.teamGroups.set(teamId, { name, role }, store.clock.now());

/** What came of it: `joined admin`, `left`. */
async function apply(store: TestStore, userId: string, ...groups: string[]): Promise<string[]> {
  const changes = await store.teamGroups.apply(userId, groups, store.clock.now());
  return changes.map((change) =>
    change.kind === 'left' ? change.kind : `${change.kind} ${change.role}`,
  );
}

const roleOf = (store: TestStore, { teamId }: { teamId: string }, { userId }: { userId: string }) =>
  store.members.findRole(teamId, userId);

forEachStore((_name, openTestStore) => {
  describe('groups of a team', () => {
    test('make, change and end memberships; the highest role of several counts', async () => {
      await using store = await openTestStore();
      const bells = await aPerson(store, 'Bells');
      const guest = await aPerson(store, 'Elsewhere');
      await set(store, bells.teamId, 'staff', 'member');
      await set(store, bells.teamId, 'ops', 'admin');
      await set(store, bells.teamId, 'interns', 'viewer');
      assert.deepEqual(await apply(store, guest.userId, 'Staff', 'others'), [], 'to the letter');
      assert.deepEqual(await apply(store, guest.userId, 'interns', 'ops', 'staff'), [
        'joined admin',
      ]);
      assert.deepEqual(await apply(store, guest.userId, 'interns', 'ops', 'staff'), []);
      assert.deepEqual(await apply(store, guest.userId, 'interns'), ['role viewer']);
      assert.equal(await roleOf(store, bells, guest), 'viewer');
      const member = (await store.members.list(bells.teamId)).find(
        ({ userId }) => userId === guest.userId,
      );
      assert.equal(member?.group, 'interns');
      const listed = await store.teamGroups.list(bells.teamId);
      assert.deepEqual(
        listed.map(({ name, members }) => [name, members]),
        [
          ['interns', 1],
          ['ops', 0],
          ['staff', 0],
        ],
      );
      assert.deepEqual(await apply(store, guest.userId), ['left']);
      assert.equal(await roleOf(store, bells, guest), null);
    });

    test('never touch what somebody was made by hand', async () => {
      await using store = await openTestStore();
      const bells = await aPerson(store, 'Bells');
      const byHand = await aPerson(store, 'Bells', 'viewer');
      await set(store, bells.teamId, 'ops', 'admin');
      for (const { userId } of [bells, byHand]) {
        assert.deepEqual(await apply(store, userId, 'ops'), []);
        assert.deepEqual(await apply(store, userId), []);
      }
      assert.equal(await roleOf(store, bells, byHand), 'viewer');
      assert.equal(await roleOf(store, bells, bells), 'owner');

      const promoted = await aPerson(store, 'Elsewhere');
      await apply(store, promoted.userId, 'ops');
      await store.members.changeRole(bells.teamId, promoted.userId, 'member');
      assert.deepEqual(await apply(store, promoted.userId), []);
      assert.equal(await roleOf(store, bells, promoted), 'member');

      const heir = await aPerson(store, 'Elsewhere too');
      await apply(store, heir.userId, 'ops');
      const parties = { ownerId: bells.userId, toUserId: heir.userId, mostOwned: 10 };
      await store.members.transfer(bells.teamId, parties);
      assert.deepEqual(await apply(store, heir.userId), []);
      assert.equal(await roleOf(store, bells, heir), 'owner');
    });

    test('never touch an owner, not even one who came by a group before the version before made them that', async () => {
      await using store = await openTestStore();
      const bells = await aPerson(store, 'Bells');
      const heir = await aPerson(store, 'Elsewhere');
      await set(store, bells.teamId, 'ops', 'admin');
      await apply(store, heir.userId, 'ops');
      const parties = { ownerId: bells.userId, toUserId: heir.userId, mostOwned: 10 };
      await store.members.transfer(bells.teamId, parties);
      // That version knows of no groups.
      await store.database.transact((trx) =>
        trx
          .updateTable('memberships')
          .set({ group_name: 'ops' })
          .where('user_id', '=', heir.userId)
          .where('role', '=', 'owner')
          .where('team_id', '=', bells.teamId)
          .execute(),
      );
      await set(store, bells.teamId, 'ops', 'viewer');
      assert.equal(await roleOf(store, bells, heir), 'owner');
      const removed = await store.teamGroups.remove(bells.teamId, 'ops');
      assert.deepEqual(removed, { kind: 'removed', left: 0 });
      assert.equal(await roleOf(store, bells, heir), 'owner');
    });

    test('leave a team its last owner or admin, whoever signs in, and at once', async () => {
      await using store = await openTestStore();
      const { id: teamId } = await store.teams.create('Without an owner', 'free', 1);
      await set(store, teamId, 'ops', 'admin');
      await set(store, teamId, 'staff', 'member');
      const [one, two] = [await aPerson(store, 'One'), await aPerson(store, 'Two')];
      for (const { userId } of [one, two]) await apply(store, userId, 'ops');
      const changes = await Promise.all([
        apply(store, one.userId),
        apply(store, two.userId, 'staff'),
      ]);
      assert.equal(changes.flat().length, 1, 'one of them stays');
      const left = (await store.members.list(teamId)).filter(({ role }) => role === 'admin');
      assert.equal(left.length, 1);
      assert.equal(await set(store, teamId, 'ops', 'viewer'), 'last-lead');
      assert.deepEqual(await store.teamGroups.remove(teamId, 'ops'), { kind: 'last-lead' });
      assert.equal((await store.teamGroups.list(teamId)).length, 2);
    });

    test('take those along who came by them: another role and the end act at once', async () => {
      await using store = await openTestStore();
      const bells = await aPerson(store, 'Bells');
      const guest = await aPerson(store, 'Elsewhere');
      await set(store, bells.teamId, 'ops', 'admin');
      await apply(store, guest.userId, 'ops');
      await store.users.switchTeam(guest.userId, bells.teamId, store.clock.now());
      await store.invitations.create(
        {
          teamId: bells.teamId,
          tokenHash: 'a'.repeat(64),
          email: null,
          role: 'admin',
          invitedBy: guest.userId,
          expiresAt: store.clock.now() + 1000,
        },
        store.clock.now(),
      );
      await set(store, bells.teamId, 'ops', 'viewer');
      assert.equal(await roleOf(store, bells, guest), 'viewer');
      assert.deepEqual(await store.invitations.list(bells.teamId, store.clock.now()), []);
      const removed = await store.teamGroups.remove(bells.teamId, 'ops');
      assert.deepEqual(removed, { kind: 'removed', left: 1 });
      assert.equal(await roleOf(store, bells, guest), null);
      assert.equal((await store.users.find(guest.userId))?.currentTeamId, null);
      assert.deepEqual(await store.teamGroups.remove(bells.teamId, 'ops'), { kind: 'not-found' });
      // Back in the team of their own, which is all that they have.
      await apply(store, guest.userId);
      assert.equal((await store.users.find(guest.userId))?.currentTeamId, guest.teamId);
    });

    test('let a newcomer in, and nobody into a team that is gone', async () => {
      await using store = await openTestStore();
      const bells = await aPerson(store, 'Bells');
      await set(store, bells.teamId, 'ops', 'viewer');
      const none = await register(store, { kind: 'by-groups', groups: ['none'] });
      assert.equal(none.kind, 'not-invited');
      const came = await register(store, { kind: 'by-groups', groups: ['none', 'ops'] });
      assert.ok(came.kind === 'registered');
      assert.deepEqual([came.teamId, came.role, came.group], [bells.teamId, 'viewer', 'ops']);
      assert.deepEqual(await apply(store, came.userId, 'ops'), []);
      await store.members.deleteTeam(bells.teamId, store.clock.now());
      assert.deepEqual(await store.teamGroups.list(bells.teamId), []);
      const late = await register(store, { kind: 'by-groups', groups: ['ops'] });
      assert.equal(late.kind, 'not-invited');
    });

    test('are counted, and a person may be in hundreds', async () => {
      await using store = await openTestStore();
      const bells = await aPerson(store, 'Bells');
      const names = Array.from({ length: MOST_GROUPS_OF_TEAM }, (_, at) => `group ${at}`);
      for (const name of names) assert.equal(await set(store, bells.teamId, name, 'member'), 'set');
      assert.equal(await set(store, bells.teamId, 'one more', 'member'), 'too-many');
      assert.equal(await set(store, bells.teamId, 'group 7', 'viewer'), 'set');
      const guest = await aPerson(store, 'Elsewhere');
      const many = Array.from({ length: 400 }, (_, at) => `other ${at}`);
      assert.deepEqual(await apply(store, guest.userId, ...many, ...names), ['joined member']);
    });
  });
});
