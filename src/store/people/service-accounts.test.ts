import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#domain/base/ids';
import { LIMITS } from '#domain/base/limits';
import { aTeam } from '#testing/factories';
import { forEachStore, type TestStore } from '#testing/stores';
import { add, all } from '../database/rows.ts';

let made = 0;

/** With a token of its own. */
function addAccount(store: TestStore, teamId: string, name: string) {
  const token = { hash: String(++made).padStart(64, '0'), hint: 'abcd' };
  return store.serviceAccounts.add(teamId, { name, madeBy: 'Ada (ada@x.test)', token }, 5);
}

forEachStore((_, openTestStore) => {
  test('a name and the last free place of a team are taken once, even if two admins use them at once', async () => {
    await using store = await openTestStore();
    const [{ id: teamId }, other] = [await aTeam(store), await aTeam(store)];
    const both = (...names: string[]) =>
      Promise.all(names.map((name) => addAccount(store, teamId, name)));
    const outcomes = await both('billing', 'billing');
    assert.equal(outcomes.filter((outcome) => outcome === 'name-taken').length, 1);
    const [first] = await store.serviceAccounts.list(teamId);
    const facts = { name: 'billing', hint: 'abcd', madeBy: 'Ada (ada@x.test)', createdAt: 5 };
    assert.deepEqual(first, { id: first?.id, ...facts, lastUsedAt: null });
    const [row] = await all(store.database, 'service_accounts', {});
    assert.ok(row);
    const copies = Array.from({ length: LIMITS.serviceAccounts - 2 }, (_, n) => {
      return { ...row, id: newId(n), name: `n${n}`, token_hash: `hash ${n}` };
    });
    await add(store.database, 'service_accounts', copies);
    const last = await both('x', 'y');
    assert.equal(last.filter((outcome) => outcome === 'too-many').length, 1);
    assert.equal((await store.serviceAccounts.list(teamId)).length, LIMITS.serviceAccounts);
    await store.serviceAccounts.revoke(teamId, first?.id ?? '');
    for (const id of [teamId, other.id])
      assert.equal(typeof (await addAccount(store, id, 'billing')), 'object');
  });
});
