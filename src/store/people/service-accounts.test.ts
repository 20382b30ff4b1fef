import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '#domain/base/limits';
import { aTeam } from '#testing/factories';
import { forEachStore, type TestStore } from '#testing/stores';
import { add } from '../database/rows.ts';

let made = 0;

/** With a token of its own. */
async function addAccount(store: TestStore, teamId: string, name: string) {
  const token = { hash: String(++made).padStart(64, '0'), hint: 'abcd' };
  const account = { name, madeBy: 'Ada (ada@x.test)', token };
  return { hash: token.hash, outcome: await store.serviceAccounts.add(teamId, account, 5) };
}

async function aServiceAccount(store: TestStore, teamId: string, name: string) {
  const { hash, outcome } = await addAccount(store, teamId, name);
  assert.ok(typeof outcome === 'object', JSON.stringify(outcome));
  return { hash, id: outcome.id };
}

forEachStore((_, openTestStore) => {
  test('service accounts are listed by name with maker and last use, and without the hash', async () => {
    await using store = await openTestStore();
    const { id: teamId } = await aTeam(store);
    const [second, first] = [
      await aServiceAccount(store, teamId, 'b'),
      await aServiceAccount(store, teamId, 'a'),
    ];
    await aServiceAccount(store, (await aTeam(store)).id, 'of another team');
    await store.serviceAccounts.markUsed(second.hash, 9);
    const facts = { hint: 'abcd', madeBy: 'Ada (ada@x.test)', createdAt: 5 };
    assert.deepEqual(await store.serviceAccounts.list(teamId), [
      { id: first.id, name: 'a', ...facts, lastUsedAt: null },
      { id: second.id, name: 'b', ...facts, lastUsedAt: 9 },
    ]);
  });

  test('a name is taken once per team, even if two admins use it at once', async () => {
    await using store = await openTestStore();
    const [{ id: teamId }, other] = [await aTeam(store), await aTeam(store)];
    const outcomes = await Promise.all([
      addAccount(store, teamId, 'billing'),
      addAccount(store, teamId, 'billing'),
    ]);
    const refused = outcomes.filter(({ outcome }) => outcome === 'name-taken');
    assert.equal(refused.length, 1);
    await aServiceAccount(store, other.id, 'billing');
    const again = outcomes.find(({ outcome }) => typeof outcome === 'object')?.outcome;
    assert.ok(typeof again === 'object');
    await store.serviceAccounts.revoke(teamId, again.id);
    await aServiceAccount(store, teamId, 'billing');
  });

  test('a team has at most the allowed number of service accounts, even if the last two are made at once', async () => {
    await using store = await openTestStore();
    const { id: teamId } = await aTeam(store);
    const rows = Array.from({ length: LIMITS.serviceAccounts - 1 }, (_, n) => ({
      team_id: teamId,
      id: `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`,
      name: `n${n}`,
      token_hash: `hash ${n}`,
      hint: '',
      made_by: '',
      created_at: 0,
      last_used_at: null,
    }));
    await add(store.database, 'service_accounts', rows);
    const outcomes = await Promise.all([
      addAccount(store, teamId, 'x'),
      addAccount(store, teamId, 'y'),
    ]);
    const refused = outcomes.filter(({ outcome }) => outcome === 'too-many');
    assert.equal(refused.length, 1);
    assert.equal((await store.serviceAccounts.list(teamId)).length, LIMITS.serviceAccounts);
    await aServiceAccount(store, (await aTeam(store)).id, 'x');
  });
});
