import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTeam } from '#testing/factories';
import { forEachStore, TEST_START } from '#testing/stores';
import { all, change } from '../database/rows.ts';

forEachStore((_name, openTestStore) => {
  test('the next signing secret is stored encrypted and never replaced until it is activated or removed', async () => {
    await using store = await openTestStore();
    const { nextSecrets, teams } = store;
    const [team, gone] = [await aTeam(store), await aTeam(store)];
    const at = TEST_START + 5;
    await teams.setSigningSecret(team.id, 'whsec_old', TEST_START);
    const made = await Promise.all(
      ['whsec_new', 'whsec_new'].map((secret) => nextSecrets.add(team.id, secret, at)),
    );
    assert.equal(made.filter(Boolean).length, 1);
    const next = { secret: 'whsec_new', setAt: at };
    assert.deepEqual(await teams.readSigningSecret(team.id, 'next'), next);
    assert.equal((await teams.readSigningSecret(team.id))?.secret, 'whsec_old');
    const [row] = await all(store.database, 'teams', { id: team.id });
    assert.doesNotMatch(JSON.stringify(row), /whsec_/);

    assert.equal(await nextSecrets.putInForce(team.id, at + 1), true);
    assert.deepEqual(await teams.readSigningSecret(team.id), { ...next, setAt: at + 1 });
    assert.equal(await teams.readSigningSecret(team.id, 'next'), null);
    assert.equal(await nextSecrets.putInForce(team.id, at + 2), false);
    assert.equal(await teams.readSigningSecret(gone.id), null);

    for (const { id } of [team, gone]) await nextSecrets.add(id, 'whsec_1', at);
    await teams.removeSigningSecret(team.id);
    await change(store.database, 'teams', { id: gone.id }, { deleted_at: 1 });
    for (const { id } of [team, gone]) assert.equal(await nextSecrets.putInForce(id, at), false);
    await nextSecrets.add(team.id, 'whsec_2', at);
    await nextSecrets.drop(team.id);
    assert.equal(await nextSecrets.putInForce(team.id, at), false);
  });
});
