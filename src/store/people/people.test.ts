import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '#domain/ids';
import { forEachStore, type TestStore } from '#testing/stores';
import { PROXY_ISSUER } from './provider-links.ts';
import type { Registration } from './registration.ts';

const HASH = 'a'.repeat(64);
const NO_ID = '018f0000-0000-7000-8000-000000000000';
const DAY_MS = 24 * 60 * 60_000;

let made = 0;
const hash = () => String(++made).padStart(64, '0');

async function register(store: TestStore, email: string, changes: Partial<Registration> = {}) {
  return store.registrations.register(
    {
      account: {
        email,
        name: email.split('@')[0] ?? '',
        passwordHash: 'scrypt$…',
        isEmailVerified: true,
      },
      team: { kind: 'named', name: 'Bells', plan: 'free', role: null },
      token: null,
      isFirst: false,
      ...changes,
    },
    store.clock.now(),
  );
}

async function aPerson(store: TestStore, email: string, changes: Partial<Registration> = {}) {
  const result = await register(store, email, changes);
  assert.ok(result.kind === 'registered', result.kind);
  return result;
}

function invite(store: TestStore, teamId: string, invitedBy: string, email: string | null = null) {
  const tokenHash = hash();
  const now = store.clock.now();
  const invitation = {
    teamId,
    tokenHash,
    email,
    role: 'member' as const,
    invitedBy,
    expiresAt: now + DAY_MS,
  };
  return store.invitations.create(invitation, now).then(() => tokenHash);
}

forEachStore((_name, openTestStore) => {
  describe('registering', () => {
    test('of many first accounts made at once exactly one is', async () => {
      await using store = await openTestStore();
      const results = await Promise.all(
        Array.from({ length: 6 }, (_, n) => register(store, `p${n}@x.test`, { isFirst: true })),
      );
      const kinds = results.map(({ kind }) => kind).sort();
      assert.deepEqual(kinds, [...Array<string>(5).fill('closed'), 'registered']);
      assert.equal(await store.registrations.hasBegun(), true);
    });

    test('a first account that is refused leaves the door open', async () => {
      await using store = await openTestStore();
      const refused = await register(store, 'a@x.test', {
        isFirst: true,
        team: { kind: 'invited', tokenHash: HASH },
      });
      assert.equal(refused.kind, 'not-invited');
      assert.equal(await store.registrations.hasBegun(), false);
    });

    test('of many accounts with one email, or first into one team, exactly one is', async () => {
      await using store = await openTestStore();
      const same = await Promise.all(Array.from({ length: 4 }, () => register(store, 'a@x.test')));
      assert.equal(same.filter(({ kind }) => kind === 'registered').length, 1);
      const more = await Promise.all(
        Array.from({ length: 4 }, (_, n) => aPerson(store, `b${n}@x.test`)),
      );
      assert.deepEqual(new Set(more.map(({ role }) => role)), new Set(['member']));
      assert.equal((await store.teams.list()).length, 1);
    });

    test('an invitation lets exactly one newcomer in, and none into a deleted team', async () => {
      await using store = await openTestStore();
      const owner = await aPerson(store, 'owner@x.test');
      const tokenHash = await invite(store, owner.teamId, owner.userId);
      const team = { kind: 'invited' as const, tokenHash };
      const results = await Promise.all(
        Array.from({ length: 4 }, (_, n) => register(store, `n${n}@x.test`, { team })),
      );
      assert.equal(results.filter(({ kind }) => kind === 'registered').length, 1);
      const late = await invite(store, owner.teamId, owner.userId);
      await store.members.deleteTeam(owner.teamId, store.clock.now());
      const refused = await register(store, 'l@x.test', {
        team: { kind: 'invited', tokenHash: late },
      });
      assert.equal(refused.kind, 'not-invited');
    });
  });

  describe('API tokens', () => {
    test('name their user and the team that is current at the moment', async () => {
      await using store = await openTestStore();
      const { userId, teamId } = await aPerson(store, 'a@x.test', {
        token: { hash: HASH, hint: 'aaaa' },
      });
      const found = async () => store.apiTokens.findOwner(HASH);
      assert.deepEqual(await found(), { userId, teamId, isViewer: false, lastUsedAt: null });
      const second = await store.members.createTeam(
        userId,
        { name: 'Second', plan: 'free', mostOwned: 9 },
        store.clock.now(),
      );
      assert.ok(second !== null);
      assert.equal((await found())?.teamId, second);
      await store.users.switchTeam(userId, teamId, store.clock.now());
      assert.equal((await found())?.teamId, teamId);
      await store.members.deleteTeam(teamId, store.clock.now());
      assert.equal((await found())?.teamId, null);
      assert.equal(await store.apiTokens.findOwner('b'.repeat(64)), null);
    });

    test('callers who ask at once each learn of their own', async () => {
      await using store = await openTestStore();
      const hashes = [hash(), hash(), hash()];
      const people = await Promise.all(
        hashes.map((each, n) =>
          aPerson(store, `${n}@x.test`, { token: { hash: each, hint: 'aaaa' } }),
        ),
      );
      const asked = [...hashes, hash(), ...hashes.toReversed()];
      const found = await Promise.all(asked.map((each) => store.apiTokens.findOwner(each)));
      const userIds = people.map(({ userId }) => userId);
      assert.deepEqual(
        found.map((owner) => owner?.userId ?? null),
        [...userIds, null, ...userIds.toReversed()],
      );
    });

    test('a replaced token is nobody, and so is one of a deleted account', async () => {
      await using store = await openTestStore();
      const { userId } = await aPerson(store, 'a@x.test', { token: { hash: HASH, hint: 'aaaa' } });
      const next = hash();
      await store.apiTokens.markUsed(HASH, 7);
      await store.apiTokens.replace(userId, { hash: next, hint: 'bbbb' }, store.clock.now());
      assert.equal(await store.apiTokens.findOwner(HASH), null);
      const facts = await store.apiTokens.read(userId);
      assert.deepEqual(facts, { hint: 'bbbb', createdAt: store.clock.now(), lastUsedAt: null });
      await store.users.delete(userId, store.clock.now());
      assert.equal(await store.apiTokens.findOwner(next), null);
    });
  });

  describe('members', () => {
    test('a team never has two owners, however they are made', async () => {
      await using store = await openTestStore();
      const owner = await aPerson(store, 'owner@x.test');
      const others = [await aPerson(store, 'a@x.test'), await aPerson(store, 'b@x.test')];
      const moved = await Promise.all(
        others.map(({ userId: toUserId }) =>
          store.members.transfer(owner.teamId, { ownerId: owner.userId, toUserId, mostOwned: 9 }),
        ),
      );
      assert.deepEqual(moved.toSorted(), ['moved', 'not-found']);
      const roles = (await store.members.list(owner.teamId)).map(({ role }) => role).sort();
      assert.deepEqual(roles, ['admin', 'member', 'owner']);
      await assert.rejects(
        store.database.transact((trx) =>
          trx.updateTable('memberships').set({ role: 'owner' }).execute(),
        ),
        { code: 'STORE_REFUSED' },
      );
    });

    test('are listed with who has a passkey', async () => {
      await using store = await openTestStore();
      const owner = await aPerson(store, 'owner@x.test');
      await aPerson(store, 'other@x.test');
      const marked = async () =>
        (await store.members.list(owner.teamId))
          .filter(({ hasPasskey }) => hasPasskey)
          .map(({ email }) => email);
      assert.deepEqual(await marked(), []);
      for (const n of [1, 2]) {
        await store.authRecords.insert('passkeys', {
          id: newId(store.clock.now()),
          user_id: owner.userId,
          credential_id: `credential ${n}`,
          public_key: 'key',
          counter: 0,
          device_type: 'singleDevice',
          backed_up: false,
          created_at: new Date(store.clock.now()),
        });
      }
      assert.deepEqual(await marked(), ['owner@x.test'], 'once, with two');
    });

    test('a user owns no more teams than they may, made at once or handed on', async () => {
      await using store = await openTestStore();
      const owner = await aPerson(store, 'owner@x.test');
      const member = await aPerson(store, 'a@x.test');
      const made = await Promise.all(
        [1, 2, 3, 4].map((n) =>
          store.members.createTeam(
            member.userId,
            { name: `Team ${n}`, plan: 'free', mostOwned: 2 },
            store.clock.now(),
          ),
        ),
      );
      assert.equal(made.filter((id) => id !== null).length, 2);
      const parties = { ownerId: owner.userId, toUserId: member.userId };
      const transfer = (mostOwned: number) =>
        store.members.transfer(owner.teamId, { ...parties, mostOwned });
      assert.equal(await transfer(2), 'owns-enough');
      assert.equal(await store.members.findRole(owner.teamId, owner.userId), 'owner');
      const gone = made.find((id) => id !== null) ?? '';
      await store.members.deleteTeam(gone, store.clock.now());
      assert.equal(await transfer(2), 'moved');
    });

    test('a team is handed on only by its owner, to a member of it', async () => {
      await using store = await openTestStore();
      const owner = await aPerson(store, 'owner@x.test');
      const member = await aPerson(store, 'a@x.test');
      const other = await aPerson(store, 'o@x.test', {
        team: { kind: 'new', name: 'Other', plan: 'free' },
      });
      const { members } = store;
      const transfer = (ownerId: string, toUserId: string) =>
        members.transfer(owner.teamId, { ownerId, toUserId, mostOwned: 9 });
      assert.equal(await transfer(member.userId, owner.userId), 'not-found');
      assert.equal(await transfer(owner.userId, other.userId), 'not-found');
      assert.equal(await transfer(owner.userId, owner.userId), 'not-found');
      assert.equal(await transfer(owner.userId, NO_ID), 'not-found');
      assert.equal(await members.findRole(owner.teamId, owner.userId), 'owner');
    });

    test('neither a change of roles nor a removal reaches the owner', async () => {
      await using store = await openTestStore();
      const { teamId, userId } = await aPerson(store, 'owner@x.test');
      assert.equal(await store.members.changeRole(teamId, userId, 'member'), false);
      assert.equal(await store.members.remove(teamId, userId), false);
      assert.equal(await store.members.findRole(teamId, userId), 'owner');
    });

    test('what goes with a team is counted, its members among it', async () => {
      await using store = await openTestStore();
      const { teamId } = await aPerson(store, 'owner@x.test');
      await aPerson(store, 'a@x.test');
      const contents = await store.members.countContents(teamId);
      assert.deepEqual(contents, { crons: 0, queues: 0, jobs: 0, members: 2 });
    });

    test('nobody is in a deleted team', async () => {
      await using store = await openTestStore();
      const { teamId, userId } = await aPerson(store, 'owner@x.test');
      await store.members.deleteTeam(teamId, store.clock.now());
      assert.equal(await store.members.findRole(teamId, userId), null);
      assert.deepEqual(await store.users.listTeams(userId), []);
      assert.equal(await store.users.switchTeam(userId, teamId, store.clock.now()), false);
    });
  });

  describe('deleting an account', () => {
    test('takes the teams that it was alone in and leaves no session, one-time token or membership', async () => {
      await using store = await openTestStore();
      const { teamId, userId } = await aPerson(store, 'a@x.test');
      const now = store.clock.now();
      await store.authRecords.insert('sessions', {
        id: NO_ID,
        token_hash: HASH,
        user_id: userId,
        expires_at: new Date(now + DAY_MS),
        created_at: new Date(now),
        updated_at: new Date(now),
      });
      assert.deepEqual(await store.users.delete(userId, now), []);
      assert.equal(await store.teams.find(teamId), null);
      assert.equal(await store.users.find(userId), null);
      for (const table of ['sessions', 'accounts'] as const) {
        assert.equal(await store.authRecords.count(table, []), 0, table);
      }
      assert.deepEqual(await store.members.list(teamId), []);
    });

    test('is refused while somebody else is in a team that it owns', async () => {
      await using store = await openTestStore();
      const owner = await aPerson(store, 'owner@x.test');
      await aPerson(store, 'a@x.test');
      const inTheWay = await store.users.delete(owner.userId, store.clock.now());
      assert.deepEqual(inTheWay, [{ id: owner.teamId, name: 'Bells', role: 'owner' }]);
      assert.ok(await store.users.find(owner.userId));
    });
  });

  describe('invitations', () => {
    test('one that is accepted by many at once lets one in', async () => {
      await using store = await openTestStore();
      const owner = await aPerson(store, 'owner@x.test');
      const others = await Promise.all(
        Array.from({ length: 3 }, (_, n) =>
          aPerson(store, `o${n}@x.test`, {
            team: { kind: 'new', name: `Other ${n}`, plan: 'free' },
          }),
        ),
      );
      const tokenHash = await invite(store, owner.teamId, owner.userId);
      const results = await Promise.all(
        others.map(({ userId }) => store.invitations.accept(tokenHash, userId, store.clock.now())),
      );
      const kinds = results.map(({ kind }) => kind).sort();
      assert.deepEqual(kinds, ['joined', 'not-found', 'not-found']);
      assert.equal((await store.members.list(owner.teamId)).length, 2);
    });

    test('they are listed newest first until they expire', async () => {
      await using store = await openTestStore();
      const owner = await aPerson(store, 'owner@x.test');
      await invite(store, owner.teamId, owner.userId, 'a@x.test');
      await invite(store, owner.teamId, owner.userId, 'b@x.test');
      const now = store.clock.now();
      const open = await store.invitations.list(owner.teamId, now);
      assert.deepEqual(
        open.map(({ email, invitedByName }) => [email, invitedByName]),
        [
          ['b@x.test', 'owner'],
          ['a@x.test', 'owner'],
        ],
      );
      assert.deepEqual(await store.invitations.list(owner.teamId, now + DAY_MS), []);
    });
  });

  describe('who comes by a provider', () => {
    const link = { issuer: 'https://id.example', subject: 'ada' };

    test('has one account, and an account one person at each provider', async () => {
      await using store = await openTestStore();
      const ada = await aPerson(store, 'a@x.test');
      const bea = await aPerson(store, 'b@x.test');
      const links = store.providerLinks;
      const now = store.clock.now();
      assert.equal(await links.find(link), null);
      const came = await Promise.all(
        ['ada', 'ada again'].map((subject) => links.add(ada.userId, { ...link, subject }, now)),
      );
      assert.equal(came.filter(Boolean).length, 1);
      const kept = { ...link, subject: came[0] ? 'ada' : 'ada again' };
      assert.deepEqual(await links.find(kept), { id: ada.userId, email: 'a@x.test' });
      assert.equal(await links.add(bea.userId, kept, now), false);
      assert.equal(await links.find({ ...kept, issuer: 'https://other.example' }), null);
      assert.equal(await links.add(ada.userId, { ...kept, issuer: 'https://other' }, now), true);
      await store.users.delete(bea.userId, now);
      await store.users.delete(ada.userId, now);
      assert.equal(await links.find(kept), null);
    });

    test('is parted from all of them at once, and keeps a password', async () => {
      await using store = await openTestStore();
      const { userId } = await aPerson(store, 'a@x.test');
      const now = store.clock.now();
      for (const issuer of [link.issuer, PROXY_ISSUER])
        await store.providerLinks.add(userId, { ...link, issuer }, now);
      assert.equal(await store.providerLinks.isJoined(userId, PROXY_ISSUER), true);
      assert.equal(await store.providerLinks.isJoined(userId, 'https://other.example'), false);
      assert.equal(await store.providerLinks.removeAll(userId), 2);
      assert.equal(await store.providerLinks.isJoined(userId, PROXY_ISSUER), false);
      assert.equal(await store.users.readPasswordHash(userId), 'scrypt$…');
    });

    test('has sessions that know how they were opened', async () => {
      await using store = await openTestStore();
      const { userId } = await aPerson(store, 'a@x.test');
      const now = store.clock.now();
      await store.authRecords.insert('sessions', {
        id: NO_ID,
        token_hash: HASH,
        user_id: userId,
        expires_at: new Date(now + DAY_MS),
        created_at: new Date(now),
        updated_at: new Date(now),
      });
      const { sessionOrigins } = store;
      assert.deepEqual(await sessionOrigins.read(NO_ID), { openedBy: null });
      const origin = { openedBy: 'https://id.example' };
      await sessionOrigins.keep(NO_ID, origin);
      assert.deepEqual(await sessionOrigins.read(NO_ID), origin);
    });

    test('by a header from elsewhere is told to the operator: the last one', async () => {
      await using store = await openTestStore();
      const { strangeSignIns } = store;
      assert.equal(await strangeSignIns.read(), null);
      for (const address of ['::ffff:10.0.0.1', 'an unknown address']) {
        const strange = { header: 'remote-email', address, at: store.clock.now() };
        await strangeSignIns.keep(strange);
        assert.deepEqual(await strangeSignIns.read(), strange);
      }
    });

    test('has no password until a link gives them one', async () => {
      await using store = await openTestStore();
      const account = { email: 'a@x.test', name: 'a', passwordHash: null, isEmailVerified: true };
      const { userId } = await aPerson(store, 'a@x.test', { account, link });
      assert.equal((await store.providerLinks.find(link))?.id, userId);
      assert.equal(await store.users.readPasswordHash(userId), null);
      const token = { purpose: 'reset-password', hash: HASH, whom: userId };
      await store.oneTimeTokens.add(token, { expiresAt: 1000, now: 0 });
      const password = { passwordHash: 'scrypt$…', revokesToken: false };
      const reset = store.oneTimeTokens.resetPassword('reset-password', HASH, password, 0);
      assert.equal(await reset, userId);
      assert.equal(await store.users.readPasswordHash(userId), 'scrypt$…');
    });
  });

  describe('oneTimeTokens', () => {
    test('of many who take one, one gets it; none after its time', async () => {
      await using store = await openTestStore();
      const token = { purpose: 'reset-password', hash: HASH, whom: NO_ID };
      await store.oneTimeTokens.add(token, { expiresAt: 1000, now: 0 });
      assert.equal(await store.oneTimeTokens.isValid('reset-password', HASH, 999), true);
      assert.equal(await store.oneTimeTokens.isValid('reset-password', HASH, 1000), false);
      assert.equal(await store.oneTimeTokens.isValid('change-email', HASH, 0), false);
      assert.equal(await store.oneTimeTokens.take('reset-password', HASH, 1000), null);
      const taken = await Promise.all(
        Array.from({ length: 4 }, () => store.oneTimeTokens.take('reset-password', HASH, 0)),
      );
      assert.deepEqual(taken.filter(Boolean), [{ whom: NO_ID, detail: '' }]);
    });
  });

  describe('rate limits', () => {
    test('are counted in windows that open with the first of them', async () => {
      await using store = await openTestStore();
      const { rateLimits } = store;
      const count = async (now: number) => rateLimits.count('guess 1.2.3.4', now, 1000);
      assert.deepEqual(await count(5000), { openedAt: 5000, hits: 1 });
      assert.deepEqual(await count(5999), { openedAt: 5000, hits: 2 });
      await rateLimits.takeBack('guess 1.2.3.4');
      assert.deepEqual(await count(5999), { openedAt: 5000, hits: 2 });
      assert.deepEqual(await count(6000), { openedAt: 6000, hits: 1 });
      await rateLimits.tidy(6001, 0);
      assert.deepEqual(await count(6002), { openedAt: 6002, hits: 1 });
    });

    test('none is lost when they come together', async () => {
      await using store = await openTestStore();
      const windows = await Promise.all(
        Array.from({ length: 20 }, () => store.rateLimits.count('guess x', 0, 1000)),
      );
      assert.equal(Math.max(...windows.map(({ hits }) => hits)), 20);
    });
  });

  describe('rows of the auth library', () => {
    test('come back with the dates and yes/no values that went in', async () => {
      await using store = await openTestStore();
      const { userId } = await aPerson(store, 'a@x.test');
      const row = {
        id: NO_ID,
        user_id: userId,
        secret: 's',
        backup_codes: '[]',
        verified: true,
        failed_verification_count: 0,
        locked_until: new Date(1_700_000_000_123),
      };
      assert.deepEqual(await store.authRecords.insert('two_factors', row), row);
      const where = [
        { column: 'verified', operator: 'eq' as const, value: true, isAlternative: false },
        {
          column: 'locked_until',
          operator: 'gt' as const,
          value: new Date(1_700_000_000_000),
          isAlternative: false,
        },
      ];
      assert.deepEqual(await store.authRecords.select('two_factors', { where }), [row]);
      const changes = { set: { locked_until: null }, add: { failed_verification_count: 2 } };
      const changed = await store.authRecords.change('two_factors', where, changes);
      assert.deepEqual(changed, { ...row, locked_until: null, failed_verification_count: 2 });
      assert.equal(await store.authRecords.change('two_factors', where, changes), null);
    });

    test('of many who take one row, one gets it', async () => {
      await using store = await openTestStore();
      await store.oneTimeTokens.add(
        { purpose: 'x', hash: HASH, whom: 'v' },
        { expiresAt: 1000, now: 0 },
      );
      const where = [
        { column: 'identifier', operator: 'eq' as const, value: `x:${HASH}`, isAlternative: false },
      ];
      const taken = await Promise.all(
        Array.from({ length: 4 }, () => store.authRecords.takeOne('verifications', where)),
      );
      assert.equal(taken.filter((row) => row?.['value'] === 'v').length, 1);
    });
  });
});
