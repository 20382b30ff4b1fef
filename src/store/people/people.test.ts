import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aUser, registerUser } from '#testing/factories';
import { pluck } from '#testing/pluck';
import { forEachStore, type TestStore } from '#testing/stores';
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

async function invite(store: TestStore, teamId: string, invitedBy: string) {
  const tokenHash = hash();
  const now = store.clock.now();
  const expiresAt = now + DAY_MS;
  const invitation = {
    teamId,
    tokenHash,
    email: null,
    role: 'member',
    invitedBy,
    expiresAt,
  } as const;
  await store.invitations.create(invitation, now);
  return tokenHash;
}

/** The results of several calls that are made at once. */
function atOnce<T>(count: number, call: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => call(n)));
}

forEachStore((_name, openTestStore) => {
  describe('registering', () => {
    test('of simultaneous first accounts exactly one is made', async () => {
      await using store = await openTestStore();
      const team = { kind: 'invited', tokenHash: HASH } as const;
      const refused = await registerUser(store, 'a@x.test', { isFirst: true, team });
      assert.equal(refused.kind, 'not-invited');
      assert.equal(await store.registrations.hasBegun(), false);
      const results = await atOnce(6, (n) =>
        registerUser(store, `p${n}@x.test`, { isFirst: true }),
      );
      const kinds = results.map(({ kind }) => kind).sort();
      assert.deepEqual(kinds, [...Array<string>(5).fill('closed'), 'registered']);
      assert.equal(await store.registrations.hasBegun(), true);
    });

    test('of simultaneous accounts one gets an email and one owns the team', async () => {
      await using store = await openTestStore();
      const same = await atOnce(4, () => registerUser(store, 'a@x.test'));
      assert.equal(same.filter(({ kind }) => kind === 'registered').length, 1);
      const more = await atOnce(4, (n) => aUser(store, `b${n}@x.test`));
      assert.deepEqual(new Set(more.map(({ role }) => role)), new Set(['member']));
      assert.equal((await store.teams.list()).length, 1);
    });

    test('an account made by a provider has no password until a reset sets one', async () => {
      await using store = await openTestStore();
      const account = { email: 'a@x.test', name: 'a', passwordHash: null, isEmailVerified: true };
      const link = { issuer: 'https://id.example', subject: 'ada' };
      const { userId } = await aUser(store, 'a@x.test', { account, link });
      assert.equal((await store.providerLinks.find(link))?.id, userId);
      assert.equal(await store.users.readPasswordHash(userId), null);
      await store.oneTimeTokens.add(aToken(userId), { replaces: false });
      const password = { passwordHash: 'scrypt$…', revokesToken: false };
      assert.equal(await store.oneTimeTokens.resetPassword(RESET, password, 0), userId);
      assert.equal(await store.users.readPasswordHash(userId), 'scrypt$…');
    });
  });

  test("simultaneous token look-ups return each caller's own user", async () => {
    await using store = await openTestStore();
    const hashes = [hash(), hash(), hash()];
    const emails = hashes.map((_, n) => `${n}@x.test`);
    for (const [n, each] of hashes.entries())
      await aUser(store, emails[n] ?? '', { token: { hash: each, hint: 'aaaa' } });
    const asked = [...hashes, hash(), ...hashes.toReversed()];
    const found = await Promise.all(asked.map((each) => store.apiTokens.findOwner(each)));
    assert.deepEqual(
      found.map((owner) => owner?.email ?? null),
      [...emails, null, ...emails.toReversed()],
    );
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

    test("a user's bound of owned teams holds for simultaneous creation and transfer", async () => {
      await using store = await openTestStore();
      const owner = await aUser(store, 'owner@x.test');
      const member = await aUser(store, 'a@x.test');
      const now = store.clock.now();
      const made = await atOnce(4, (n) => {
        const team = { name: `Team ${n}`, plan: 'free', mostOwned: 2 };
        return store.members.createTeam(member.userId, team, now);
      });
      assert.equal(made.filter((id) => id !== null).length, 2);
      const parties = { ownerId: owner.userId, toUserId: member.userId, mostOwned: 2 };
      const transfer = () => store.members.transfer(owner.teamId, parties);
      assert.equal(await transfer(), 'owns-enough');
      assert.equal(await store.members.findRole(owner.teamId, owner.userId), 'owner');
      await store.members.deleteTeam(made.find((id) => id !== null) ?? '', now);
      assert.equal(await transfer(), 'moved');
    });

    test('an invitation admits one of several users and newcomers, and none into a deleted team', async () => {
      await using store = await openTestStore();
      const owner = await aUser(store, 'owner@x.test');
      const now = store.clock.now();
      const newcomer = async (n: number, tokenHash: string) =>
        (await registerUser(store, `n${n}@x.test`, { team: { kind: 'invited', tokenHash } })).kind;
      const forNewcomers = await invite(store, owner.teamId, owner.userId);
      const came = await atOnce(4, (n) => newcomer(n, forNewcomers));
      assert.equal(came.filter((kind) => kind === 'registered').length, 1);
      const forUsers = await invite(store, owner.teamId, owner.userId);
      const users = await atOnce(3, (n) => {
        const team = { kind: 'new', name: `Other ${n}`, plan: 'free' } as const;
        return aUser(store, `o${n}@x.test`, { team });
      });
      const joined = await Promise.all(
        users.map(({ userId }) => store.invitations.accept(forUsers, userId, now)),
      );
      const kinds = joined.map(({ kind }) => kind).toSorted();
      assert.deepEqual(kinds, ['joined', 'not-found', 'not-found']);
      const late = await invite(store, owner.teamId, owner.userId);
      await store.members.deleteTeam(owner.teamId, now);
      assert.equal(await newcomer(9, late), 'not-invited');
    });
  });

  test('a provider identity has one account, an account one identity per provider', async () => {
    await using store = await openTestStore();
    const [ada, bea] = [await aUser(store, 'a@x.test'), await aUser(store, 'b@x.test')];
    const links = store.providerLinks;
    const now = store.clock.now();
    const issuer = 'https://id.example';
    const subjects = ['ada', 'ada again'];
    const came = await Promise.all(
      subjects.map((subject) => links.add(ada.userId, { issuer, subject }, now)),
    );
    assert.equal(came.filter(Boolean).length, 1);
    const kept = { issuer, subject: subjects[came.indexOf(true)] ?? '' };
    assert.deepEqual(await links.find(kept), { id: ada.userId, email: 'a@x.test' });
    assert.equal(await links.add(bea.userId, kept, now), false);
    assert.equal(await links.find({ ...kept, issuer: 'https://other.example' }), null);
    assert.equal(await links.add(ada.userId, { ...kept, issuer: 'https://other' }, now), true);
    for (const { userId } of [bea, ada]) await store.users.delete(userId, now);
    assert.equal(await links.find(kept), null);
  });

  test('a one-time token is taken once, and not after its expiry', async () => {
    await using store = await openTestStore();
    await store.oneTimeTokens.add(aToken(NO_ID), { replaces: false });
    const isValid = async (purpose: string, now: number) =>
      (await store.oneTimeTokens.read({ purpose, hash: HASH }, now)) !== null;
    assert.equal(await isValid('reset-password', 999), true);
    assert.equal(await isValid('reset-password', 1000), false);
    assert.equal(await isValid('change-email', 0), false);
    assert.equal(await store.oneTimeTokens.take(RESET, 1000), null);
    const taken = await atOnce(4, () => store.oneTimeTokens.take(RESET, 0));
    assert.deepEqual(taken.filter(Boolean), [{ whom: NO_ID, detail: '' }]);
  });

  describe('rate limits', () => {
    test('tries are counted in windows that open with the first of them', async () => {
      await using store = await openTestStore();
      const { rateLimits } = store;
      const count = async (now: number) => rateLimits.count('guess 1.2.3.4', now, 1000);
      await count(5000 + DAY_MS);
      assert.deepEqual(await count(5000), { endsAt: 6000, hits: 1 }, 'the clock was ahead');
      assert.deepEqual(await count(4900), { endsAt: 6000, hits: 2 }, 'a node slightly behind');
      await rateLimits.takeBack('guess 1.2.3.4');
      assert.deepEqual(await count(5999), { endsAt: 6000, hits: 2 });
      assert.deepEqual(await count(6000), { endsAt: 7000, hits: 1 });
      await rateLimits.deleteEnded(6999);
      assert.deepEqual(await count(6999), { endsAt: 7000, hits: 2 });
      await rateLimits.deleteEnded(7000);
      assert.deepEqual(await all(store.database, 'rate_windows', {}), []);
    });

    test('simultaneous tries are counted one by one in one statement', async () => {
      const ran: string[] = [];
      await using store = await openTestStore({ onStatement: ({ sql }) => ran.push(sql) });
      const countEach = (key: string, lengthMs: number) =>
        atOnce(50, () => store.rateLimits.count(key, 5000, lengthMs));
      const counted = await Promise.all([countEach('a', 1000), countEach('b', 2000)]);
      const expected = [6000, 7000].map((endsAt) =>
        Array.from({ length: 50 }, (_, n) => ({ endsAt, hits: n + 1 })),
      );
      assert.deepEqual(counted, expected);
      assert.equal(ran.filter((sql) => sql.includes('count-hits')).length, 1);
    });
  });

  describe('sessions', () => {
    test('a password reset leaves no session that simultaneous sign-ins opened', async () => {
      await using store = await openTestStore();
      const { userId } = await aUser(store, 'a@x.test');
      assert.equal(await openSession(store, NO_ID), null, 'a deleted account');
      assert.equal(await openSession(store, userId, { passwordHash: 'scrypt$old' }), null);
      await store.oneTimeTokens.add(aToken(userId), { replaces: false });
      const set = { passwordHash: 'scrypt$new', revokesToken: false };
      const hashes = Array.from({ length: 6 }, hash);
      const signIn = (each: string) =>
        openSession(store, userId, { passwordHash: 'scrypt$…' }, each);
      const [opened] = await Promise.all([
        ...hashes.slice(0, 3).map(signIn),
        store.oneTimeTokens.resetPassword(RESET, set, 0),
        ...hashes.slice(3).map(signIn),
      ]);
      assert.ok(opened, 'the password was still the old one');
      for (const each of hashes)
        assert.equal(await store.sessions.find(each, store.clock.now()), null);
    });

    test('a challenge of a second factor opens one session', async () => {
      await using store = await openTestStore();
      const { userId } = await aUser(store, 'a@x.test');
      const challenge = { purpose: 'second-factor', hash: HASH };
      const expiresAt = Number.MAX_SAFE_INTEGER;
      const token = { ...aToken(userId), ...challenge, expiresAt };
      await store.oneTimeTokens.add(token, { replaces: false });
      const opened = await atOnce(3, () => openSession(store, userId, { challenge }, hash()));
      assert.equal(opened.filter((id) => id !== null).length, 1);
    });

    test('a changed password ends all sessions but the one that changes it, which gets a new token', async () => {
      await using store = await openTestStore();
      const { userId } = await aUser(store, 'a@x.test');
      const now = store.clock.now();
      await openSession(store, userId);
      const rotation = await aRotation(store, userId);
      const changeFrom = (from: string) =>
        store.sessions.changePassword(userId, { from, to: 'scrypt$new' }, rotation, now);
      assert.equal(await changeFrom('scrypt$old'), false, 'another password was checked');
      assert.ok(await store.sessions.find(HASH, now));
      assert.equal(await changeFrom('scrypt$…'), true);
      assert.equal(await changeFrom('scrypt$new'), false, 'the session has another id now');
      assert.equal(await store.sessions.find(HASH, now), null);
      const kept = await store.sessions.find(rotation.tokenHash, now);
      assert.notEqual(kept?.id, rotation.sessionId);
      assert.equal(kept?.openedAt, now);
    });
  });

  test('a code and a recovery code are accepted once', async () => {
    await using store = await openTestStore();
    const { userId } = await aUser(store, 'a@x.test');
    const { secondFactors } = store;
    await secondFactors.begin(userId, { secret: 'FIRST', recoveryCodes: [] });
    await secondFactors.begin(userId, { secret: 'SECRET', recoveryCodes: ['one', 'two'] });
    const begun = { secret: 'SECRET', isConfirmed: false };
    assert.deepEqual(await secondFactors.find(userId), begun, 'the last one');
    assert.equal(await secondFactors.useStep(userId, 5), false, 'it is not in force');
    assert.equal(await secondFactors.useRecoveryCode(userId, 'one'), false);
    const ended = { ...(await aRotation(store, userId)), sessionId: NO_ID };
    assert.equal(await secondFactors.confirm(userId, 7, ended, 0), false);
    assert.equal(await secondFactors.confirm(userId, 7, await aRotation(store, userId), 0), true);
    const again = { secret: 'OTHER', recoveryCodes: [] };
    assert.equal(await secondFactors.begin(userId, again), false);
    const used = await Promise.all([6, 7, 8, 8].map((n) => secondFactors.useStep(userId, n)));
    assert.equal(used.filter(Boolean).length, 1);
    const codes = ['one', 'one', 'two', 'three'];
    const taken = await Promise.all(
      codes.map((code) => secondFactors.useRecoveryCode(userId, code)),
    );
    assert.equal(taken.filter(Boolean).length, 2);
    assert.equal((await store.users.find(userId))?.hasSecondFactor, true);
    assert.equal(await secondFactors.end(userId, await aRotation(store, userId), 0), true);
    assert.equal((await store.users.find(userId))?.hasSecondFactor, false);
    assert.equal(await secondFactors.find(userId), null);
  });

  test('a passkey belongs to one user and is deleted by that user alone', async () => {
    await using store = await openTestStore();
    const [ada, eve] = [await aUser(store, 'a@x.test'), await aUser(store, 'e@x.test')];
    const credentialId = 'a credential';
    const publicKey = new Uint8Array([1, 2, 255]);
    const credential = { credentialId, publicKey, counter: 0, transports: ['internal', 'hybrid'] };
    assert.equal(await store.passkeys.add(ada.userId, 'Phone', credential, 1), true);
    assert.equal(await store.passkeys.add(eve.userId, 'Phone', credential, 2), false);
    const found = await store.passkeys.find(credentialId);
    assert.ok(found);
    assert.deepEqual(await store.passkeys.list(ada.userId), [found]);
    assert.deepEqual([...found.publicKey], [1, 2, 255]);
    const other = { ...credential, credentialId: 'another' };
    await store.passkeys.add(ada.userId, 'Key', other, 3);
    const marked = (await store.members.list(ada.teamId)).filter(({ hasPasskey }) => hasPasskey);
    assert.deepEqual(pluck(marked, 'email'), ['a@x.test'], 'once, with two');
    assert.equal(await store.passkeys.count(found.id, 7), true);
    assert.equal((await store.passkeys.find(credentialId))?.counter, 7);
    assert.equal(await store.passkeys.delete(eve.userId, found.id), false);
    assert.equal(await store.passkeys.delete(ada.userId, found.id), true);
    assert.equal(await store.passkeys.count(found.id, 8), false, 'it was deleted');
  });
});
