import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aTeam } from '#testing/factories';
import { forEachStore, TEST_START } from '#testing/stores';
import { all, change } from '../database/rows.ts';

forEachStore((_name, openTestStore) => {
  describe('the next signing secret', () => {
    test('the next signing secret is stored encrypted until it is activated', async () => {
      await using store = await openTestStore();
      const { nextSecrets, teams } = store;
      const [team, other] = [await aTeam(store), await aTeam(store)];
      await teams.setSigningSecret(team.id, 'whsec_old', TEST_START);
      assert.equal(await teams.readSigningSecretSetAt(team.id, 'next'), null);
      assert.equal(await nextSecrets.add(team.id, 'whsec_new', TEST_START + 5), true);
      assert.equal(await teams.readSigningSecretSetAt(team.id, 'next'), TEST_START + 5);
      assert.equal((await teams.readSigningSecret(team.id, 'next'))?.secret, 'whsec_new');
      assert.equal(await teams.readSigningSecretSetAt(other.id, 'next'), null);
      assert.equal((await teams.readSigningSecret(team.id))?.secret, 'whsec_old');
      const [row] = await all(store.database, 'teams', { id: team.id });
      assert.doesNotMatch(JSON.stringify(row), /whsec_/);

      assert.equal(await nextSecrets.putInForce(team.id, TEST_START + 9), true);
      const inForce = { secret: 'whsec_new', setAt: TEST_START + 9 };
      assert.deepEqual(await teams.readSigningSecret(team.id), inForce);
      assert.equal(await teams.readSigningSecretSetAt(team.id, 'next'), null);
      assert.equal(await teams.readSigningSecret(team.id, 'next'), null);
      assert.equal(await nextSecrets.putInForce(team.id, TEST_START + 10), false);
      assert.deepEqual(await teams.readSigningSecret(team.id), inForce);
      assert.equal(await teams.readSigningSecret(other.id), null);
    });

    test('a next signing secret is not replaced and can be deleted', async () => {
      await using store = await openTestStore();
      const { nextSecrets, teams } = store;
      const team = await aTeam(store);
      const made = await Promise.all(
        ['whsec_1', 'whsec_2'].map((secret) => nextSecrets.add(team.id, secret, TEST_START)),
      );
      assert.equal(made.filter((isMade) => isMade).length, 1);
      await nextSecrets.drop(team.id);
      assert.equal(await teams.readSigningSecretSetAt(team.id, 'next'), null);
      assert.equal(await nextSecrets.putInForce(team.id, TEST_START), false);
      assert.equal(await teams.readSigningSecret(team.id), null);
      assert.equal(await nextSecrets.add(team.id, 'whsec_3', TEST_START), true);
    });

    test('the next signing secret is removed with the present one or its team', async () => {
      await using store = await openTestStore();
      const { nextSecrets, teams } = store;
      const [team, gone] = [await aTeam(store), await aTeam(store)];
      for (const { id } of [team, gone]) await nextSecrets.add(id, 'whsec_1', TEST_START);
      await teams.removeSigningSecret(team.id);
      await change(store.database, 'teams', { id: gone.id }, { deleted_at: 1 });
      for (const { id } of [team, gone])
        assert.equal(await nextSecrets.putInForce(id, TEST_START), false);
    });
  });
});
