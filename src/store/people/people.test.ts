import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aUser, registerUser } from '#testing/factories';
import { forEachStore, type TestStore } from '#testing/stores';
import { PROXY_ISSUER } from './provider-links.ts';
import { all, change } from '../database/rows.ts';

const HASH = 'a'.repeat(64);
const RESET = { purpose: 'reset-password', hash: HASH };
const NO_ID = '018f0000-0000-7000-8000-000000000000';
const DAY_MS = 24 * 60 * 60_000;

let made = 0;
const hash = () => String(++made).padStart(64, '0');

const aToken = (whom: string) => {
  return { ...RESET, whom, detail: '', expiresAt: 1000 };
};

const aCredential = (credentialId: string) => {
  const publicKey = new Uint8Array([1, 2, 255]);
  return { credentialId, publicKey, counter: 0, transports: ['internal', 'hybrid'] };
};

function openSession(
  store: TestStore,
  userId: string,
  checked: Parameters<TestStore['sessions']['open']>[1] = {},
  tokenHash = HASH,
) {
  const now = store.clock.now();
  const session = { userId, tokenHash, openedBy: null, address: '192.0.2.1', userAgent: null };
  const expiresAt = now + DAY_MS;
  return store.sessions.open({ ...session, expiresAt }, checked, { replaced: null, now });
}

async function aRotation(store: TestStore, userId: string) {
  const sessionId = (await openSession(store, userId, {}, hash())) ?? '';
  return { sessionId, tokenHash: hash(), expiresAt: store.clock.now() + DAY_MS };
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
    test('of simultaneous first accounts exactly one is made', async () => {
      await using store = await openTestStore();
      const results = await Promise.all(
        Array.from({ length: 6 }, (_, n) => registerUser(store, `p${n}@x.test`, { isFirst: true })),
      );
      const kinds = results.map(({ kind }) => kind).sort();
      assert.deepEqual(kinds, [...Array<string>(5).fill('closed'), 'registered']);
      assert.equal(await store.registrations.hasBegun(), true);
    });

    test('a refused first account does not close the installation', async () => {
      await using store = await openTestStore();
      const refused = await registerUser(store, 'a@x.test', {
        isFirst: true,
        team: { kind: 'invited', tokenHash: HASH },
      });
      assert.equal(refused.kind, 'not-invited');
      assert.equal(await store.registrations.hasBegun(), false);
    });

    test('of simultaneous accounts one gets an email and one owns the team', async () => {
      await using store = await openTestStore();
      const same = await Promise.all(
        Array.from({ length: 4 }, () => registerUser(store, 'a@x.test')),
      );
      assert.equal(same.filter(({ kind }) => kind === 'registered').length, 1);
      const more = await Promise.all(
        Array.from({ length: 4 }, (_, n) => aUser(store, `b${n}@x.test`)),
      );
      assert.deepEqual(new Set(more.map(({ role }) => role)), new Set(['member']));
      assert.equal((await store.teams.list()).length, 1);
    });

    test('an invitation lets exactly one newcomer in, and none into a deleted team', async () => {
      await using store = await openTestStore();
      const owner = await aUser(store, 'owner@x.test');
      const tokenHash = await invite(store, owner.teamId, owner.userId);
      const team = { kind: 'invited' as const, tokenHash };
      const results = await Promise.all(
        Array.from({ length: 4 }, (_, n) => registerUser(store, `n${n}@x.test`, { team })),
      );
      assert.equal(results.filter(({ kind }) => kind === 'registered').length, 1);
      const late = await invite(store, owner.teamId, owner.userId);
      await store.members.deleteTeam(owner.teamId, store.clock.now());
      const refused = await registerUser(store, 'l@x.test', {
        team: { kind: 'invited', tokenHash: late },
      });
      assert.equal(refused.kind, 'not-invited');
    });
  });

  describe('API tokens', () => {
    test("simultaneous token look-ups return each caller's own user", async () => {
      await using store = await openTestStore();
      const hashes = [hash(), hash(), hash()];
      const emails = hashes.map((_, n) => `${n}@x.test`);
      await Promise.all(
        hashes.map((each, n) =>
          aUser(store, emails[n] ?? '', { token: { hash: each, hint: 'aaaa' } }),
        ),
      );
      const asked = [...hashes, hash(), ...hashes.toReversed()];
      const found = await Promise.all(asked.map((each) => store.apiTokens.findOwner(each)));
      assert.deepEqual(
        found.map((owner) => owner?.email ?? null),
        [...emails, null, ...emails.toReversed()],
      );
    });
  });

  describe('members', () => {
    test('a team never has two owners, however they are made', async () => {
      await using store = await openTestStore();
      const owner = await aUser(store, 'owner@x.test');
      const others = [await aUser(store, 'a@x.test'), await aUser(store, 'b@x.test')];
      const moved = await Promise.all(
        others.map(({ userId: toUserId }) =>
          store.members.transfer(owner.teamId, { ownerId: owner.userId, toUserId, mostOwned: 9 }),
        ),
      );
      assert.deepEqual(moved.toSorted(), ['moved', 'not-found']);
      const roles = (await store.members.list(owner.teamId)).map(({ role }) => role).sort();
      assert.deepEqual(roles, ['admin', 'member', 'owner']);
      await assert.rejects(change(store.database, 'memberships', {}, { role: 'owner' }), {
        code: 'STORE_REFUSED',
      });
    });

    test('the list of members marks those with a passkey', async () => {
      await using store = await openTestStore();
      const owner = await aUser(store, 'owner@x.test');
      await aUser(store, 'other@x.test');
      const marked = async () =>
        (await store.members.list(owner.teamId))
          .filter(({ hasPasskey }) => hasPasskey)
          .map(({ email }) => email);
      assert.deepEqual(await marked(), []);
      for (const n of [1, 2]) {
        const passkey = aCredential(`credential ${n}`);
        await store.passkeys.add(owner.userId, 'A phone', passkey, store.clock.now());
      }
      assert.deepEqual(await marked(), ['owner@x.test'], 'once, with two');
    });

    test("a user's bound of owned teams holds for simultaneous creation and transfer", async () => {
      await using store = await openTestStore();
      const owner = await aUser(store, 'owner@x.test');
      const member = await aUser(store, 'a@x.test');
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
  });

  describe('invitations', () => {
    test('an invitation accepted by several users at once admits one', async () => {
      await using store = await openTestStore();
      const owner = await aUser(store, 'owner@x.test');
      const others = await Promise.all(
        Array.from({ length: 3 }, (_, n) =>
          aUser(store, `o${n}@x.test`, {
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

    test('invitations are listed newest first until they expire', async () => {
      await using store = await openTestStore();
      const owner = await aUser(store, 'owner@x.test');
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

    test('a provider identity has one account, an account one identity per provider', async () => {
      await using store = await openTestStore();
      const ada = await aUser(store, 'a@x.test');
      const bea = await aUser(store, 'b@x.test');
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

    test('unlinking removes all providers and keeps the password', async () => {
      await using store = await openTestStore();
      const { userId } = await aUser(store, 'a@x.test');
      const now = store.clock.now();
      for (const issuer of [link.issuer, PROXY_ISSUER])
        await store.providerLinks.add(userId, { ...link, issuer }, now);
      assert.equal(await store.providerLinks.isJoined(userId, PROXY_ISSUER), true);
      assert.equal(await store.providerLinks.isJoined(userId, 'https://other.example'), false);
      assert.equal(await store.providerLinks.removeAll(userId), 2);
      assert.equal(await store.providerLinks.isJoined(userId, PROXY_ISSUER), false);
      assert.equal(await store.users.readPasswordHash(userId), 'scrypt$…');
    });

    test('the last proxy header from another address is recorded for the operator', async () => {
      await using store = await openTestStore();
      const { untrustedSignIns } = store;
      assert.equal(await untrustedSignIns.read(), null);
      for (const address of ['::ffff:10.0.0.1', 'an unknown address']) {
        const untrusted = { header: 'remote-email', address, at: store.clock.now() };
        await untrustedSignIns.keep(untrusted);
        assert.deepEqual(await untrustedSignIns.read(), untrusted);
      }
    });

    test('an account made by a provider has no password until a reset sets one', async () => {
      await using store = await openTestStore();
      const account = { email: 'a@x.test', name: 'a', passwordHash: null, isEmailVerified: true };
      const { userId } = await aUser(store, 'a@x.test', { account, link });
      assert.equal((await store.providerLinks.find(link))?.id, userId);
      assert.equal(await store.users.readPasswordHash(userId), null);
      await store.oneTimeTokens.add(aToken(userId), { replaces: false });
      const password = { passwordHash: 'scrypt$…', revokesToken: false };
      const reset = store.oneTimeTokens.resetPassword(RESET, password, 0);
      assert.equal(await reset, userId);
      assert.equal(await store.users.readPasswordHash(userId), 'scrypt$…');
    });
  });

  describe('oneTimeTokens', () => {
    test('a one-time token is taken once, and not after its expiry', async () => {
      await using store = await openTestStore();
      await store.oneTimeTokens.add(aToken(NO_ID), { replaces: false });
      const isValid = async (purpose: string, now: number) =>
        (await store.oneTimeTokens.read({ purpose, hash: HASH }, now)) !== null;
      assert.equal(await isValid('reset-password', 999), true);
      assert.equal(await isValid('reset-password', 1000), false);
      assert.equal(await isValid('change-email', 0), false);
      assert.equal(await store.oneTimeTokens.take(RESET, 1000), null);
      const taken = await Promise.all(
        Array.from({ length: 4 }, () => store.oneTimeTokens.take(RESET, 0)),
      );
      assert.deepEqual(taken.filter(Boolean), [{ whom: NO_ID, detail: '' }]);
    });
  });

  describe('rate limits', () => {
    test('tries are counted in windows that open with the first of them', async () => {
      await using store = await openTestStore();
      const { rateLimits } = store;
      const count = async (now: number) => rateLimits.count('guess 1.2.3.4', now, 1000);
      assert.deepEqual(await count(5000), { endsAt: 6000, hits: 1 });
      assert.deepEqual(await count(5999), { endsAt: 6000, hits: 2 });
      await rateLimits.takeBack('guess 1.2.3.4');
      assert.deepEqual(await count(5999), { endsAt: 6000, hits: 2 });
      assert.deepEqual(await count(6000), { endsAt: 7000, hits: 1 });
      await rateLimits.deleteEnded(6999);
      assert.deepEqual(await count(6999), { endsAt: 7000, hits: 2 });
      await rateLimits.deleteEnded(7000);
      const rows = await all(store.database, 'rate_windows', {});
      assert.deepEqual(rows, []);
    });

    test('a window that opened while the clock was ahead ends when the clock is set back', async () => {
      await using store = await openTestStore();
      const count = async (now: number) => store.rateLimits.count('guess 1.2.3.4', now, 1000);
      for (let n = 0; n < 3; n++) await count(5000 + DAY_MS);
      assert.deepEqual(await count(5000), { endsAt: 6000, hits: 1 });
      assert.deepEqual(await count(4900), { endsAt: 6000, hits: 2 }, 'of a node slightly behind');
    });

    test('simultaneous tries are counted one by one in one statement', async () => {
      const ran: string[] = [];
      await using store = await openTestStore({ onStatement: ({ sql }) => ran.push(sql) });
      const countEach = (key: string, lengthMs: number) =>
        Array.from({ length: 50 }, () => store.rateLimits.count(key, 5000, lengthMs));
      const counted = await Promise.all([...countEach('a', 1000), ...countEach('b', 2000)]);
      const expected = [6000, 7000].flatMap((endsAt) =>
        Array.from({ length: 50 }, (_, n) => ({ endsAt, hits: n + 1 })),
      );
      assert.deepEqual(counted, expected);
      assert.equal(ran.filter((sql) => sql.includes('count-hits')).length, 1);
    });
  });

  describe('sessions', () => {
    test('a session is found by its token with its user and their teams, until it expires', async () => {
      await using store = await openTestStore();
      const { userId, teamId } = await aUser(store, 'a@x.test');
      const gone = await store.members.createTeam(
        userId,
        { name: 'Gone', plan: 'free', mostOwned: 9 },
        store.clock.now(),
      );
      await store.members.deleteTeam(gone ?? '', store.clock.now());
      await openSession(store, userId);
      const now = store.clock.now();
      const found = await store.sessions.find(HASH, now);
      assert.deepEqual([found?.user.email, found?.openedAt], ['a@x.test', now]);
      assert.deepEqual(found?.teams, [{ id: teamId, name: 'Bells', role: 'owner' }]);
      assert.equal(await store.sessions.find(HASH, now + DAY_MS), null);
      assert.equal(await store.sessions.find('b'.repeat(64), now), null);
      await store.members.deleteTeam(teamId, now);
      const without = await store.sessions.find(HASH, now);
      assert.deepEqual([without?.user.id, without?.teams], [userId, []]);
    });

    test('a session does not open with a password that was changed since it was checked', async () => {
      await using store = await openTestStore();
      const { userId } = await aUser(store, 'a@x.test');
      assert.equal(await openSession(store, userId, { passwordHash: 'scrypt$old' }), null);
      assert.equal(await openSession(store, NO_ID), null, 'nor for a deleted account');
      assert.ok(await openSession(store, userId, { passwordHash: 'scrypt$…' }));
    });

    test('a password reset leaves no session that simultaneous sign-ins opened', async () => {
      await using store = await openTestStore();
      const { userId } = await aUser(store, 'a@x.test');
      const now = store.clock.now();
      await store.oneTimeTokens.add(aToken(userId), { replaces: false });
      const set = { passwordHash: 'scrypt$new', revokesToken: false };
      const signIn = (n: number) =>
        openSession(store, userId, { passwordHash: 'scrypt$…' }, String(n).padStart(64, 'b'));
      await Promise.all([
        ...[1, 2, 3].map(signIn),
        store.oneTimeTokens.resetPassword(RESET, set, 0),
        ...[4, 5, 6].map(signIn),
      ]);
      for (const n of [1, 2, 3, 4, 5, 6])
        assert.equal(await store.sessions.find(String(n).padStart(64, 'b'), now), null, `${n}`);
    });

    test('a challenge of a second factor opens one session', async () => {
      await using store = await openTestStore();
      const { userId } = await aUser(store, 'a@x.test');
      const challenge = { purpose: 'second-factor', hash: HASH };
      const token = {
        ...aToken(userId),
        purpose: 'second-factor',
        expiresAt: Number.MAX_SAFE_INTEGER,
      };
      await store.oneTimeTokens.add(token, { replaces: false });
      const opened = await Promise.all(
        ['c', 'd', 'e'].map((each) => openSession(store, userId, { challenge }, each.repeat(64))),
      );
      assert.equal(opened.filter((id) => id !== null).length, 1);
    });

    test('a changed password ends all sessions but the one that changes it, which gets a new token', async () => {
      await using store = await openTestStore();
      const { userId } = await aUser(store, 'a@x.test');
      const now = store.clock.now();
      const sessionId = (await openSession(store, userId)) ?? '';
      await openSession(store, userId, {}, 'b'.repeat(64));
      const rotation = { sessionId, tokenHash: 'c'.repeat(64), expiresAt: now + DAY_MS };
      const change = (from: string) =>
        store.sessions.changePassword(userId, { from, to: 'scrypt$new' }, rotation, now);
      assert.equal(await change('scrypt$old'), false, 'another password was checked');
      assert.ok(await store.sessions.find(HASH, now));
      assert.equal(await change('scrypt$…'), true);
      assert.equal(await change('scrypt$new'), false, 'the session has another id now');
      for (const old of [HASH, 'b'.repeat(64)])
        assert.equal(await store.sessions.find(old, now), null);
      const kept = await store.sessions.find('c'.repeat(64), now);
      assert.notEqual(kept?.id, sessionId);
      assert.equal(kept?.openedAt, now);
    });
  });

  describe('second factors', () => {
    const recoveryCodes = ['one', 'two'];

    test('a code and a recovery code are accepted once', async () => {
      await using store = await openTestStore();
      const { userId } = await aUser(store, 'a@x.test');
      const { secondFactors } = store;
      await secondFactors.begin(userId, { secret: 'FIRST', recoveryCodes: [] });
      await secondFactors.begin(userId, { secret: 'SECRET', recoveryCodes });
      const begun = { secret: 'SECRET', isConfirmed: false };
      assert.deepEqual(await secondFactors.find(userId), begun, 'the last one');
      assert.equal(await secondFactors.useStep(userId, 5), false, 'it is not in force');
      assert.equal(await secondFactors.useRecoveryCode(userId, 'one'), false);
      assert.equal(await secondFactors.confirm(userId, 7, await aRotation(store, userId), 0), true);
      const again = { secret: 'OTHER', recoveryCodes: [] };
      assert.equal(await secondFactors.begin(userId, again), false);
      const used = await Promise.all(
        [6, 7, 8, 8].map((step) => secondFactors.useStep(userId, step)),
      );
      assert.equal(used.filter(Boolean).length, 1);
      const taken = await Promise.all(
        ['one', 'one', 'two', 'three'].map((code) => secondFactors.useRecoveryCode(userId, code)),
      );
      assert.equal(taken.filter(Boolean).length, 2);
      assert.equal((await store.users.find(userId))?.hasSecondFactor, true);
      assert.equal(await secondFactors.end(userId, await aRotation(store, userId), 0), true);
      assert.equal((await store.users.find(userId))?.hasSecondFactor, false);
      assert.equal(await secondFactors.find(userId), null);
    });

    test('a second factor is not confirmed if the session has ended', async () => {
      await using store = await openTestStore();
      const { userId } = await aUser(store, 'a@x.test');
      const rotation = { sessionId: NO_ID, tokenHash: HASH, expiresAt: 1 };
      await store.secondFactors.begin(userId, { secret: 'SECRET', recoveryCodes });
      assert.equal(await store.secondFactors.confirm(userId, 7, rotation, 0), false);
      assert.equal((await store.users.find(userId))?.hasSecondFactor, false);
    });
  });

  test('a passkey belongs to one user and is deleted by that user alone', async () => {
    await using store = await openTestStore();
    const [ada, eve] = [await aUser(store, 'a@x.test'), await aUser(store, 'e@x.test')];
    const credential = aCredential('a credential');
    assert.equal(await store.passkeys.add(ada.userId, 'Phone', credential, 1), true);
    assert.equal(await store.passkeys.add(eve.userId, 'Phone', credential, 2), false);
    const found = await store.passkeys.find('a credential');
    assert.ok(found);
    assert.deepEqual(await store.passkeys.list(ada.userId), [found]);
    assert.deepEqual([...found.publicKey], [1, 2, 255]);
    assert.equal(await store.passkeys.count(found.id, 7), true);
    assert.equal((await store.passkeys.find('a credential'))?.counter, 7);
    assert.equal(await store.passkeys.delete(eve.userId, found.id), false);
    assert.equal(await store.passkeys.delete(ada.userId, found.id), true);
    assert.equal(await store.passkeys.count(found.id, 8), false, 'it was deleted');
  });
});
