import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aTeam } from '#testing/factories';
import { forEachStore, TEST_START } from '#testing/stores';

const HOUR = 3_600_000;

forEachStore((_name, openTestStore) => {
  describe('the next signing secret', () => {
    test('is kept beside the present one, sealed, until its time has come', async () => {
      await using store = await openTestStore();
      const { nextSecrets, teams } = store;
      const [team, other] = [await aTeam(store), await aTeam(store)];
      await teams.setSigningSecret(team.id, 'whsec_old', TEST_START);
      assert.equal(await nextSecrets.find(team.id), null);
      const planned = { setAt: TEST_START + 5, from: TEST_START + HOUR };
      await nextSecrets.plan(team.id, 'whsec_new', planned);
      assert.deepEqual(await nextSecrets.find(team.id), planned);
      assert.equal(await nextSecrets.reveal(team.id), 'whsec_new');
      assert.equal(await nextSecrets.find(other.id), null);
      assert.equal(await nextSecrets.readEarliest(), planned.from);
      const [row] = await store.database.read((db) =>
        db.selectFrom('teams').selectAll().where('id', '=', team.id).execute(),
      );
      assert.doesNotMatch(JSON.stringify(row), /whsec_/);

      assert.deepEqual(await nextSecrets.changeDue(planned.from - 1), []);
      assert.equal((await teams.readSigningSecret(team.id))?.secret, 'whsec_old');
      assert.deepEqual(await nextSecrets.changeDue(planned.from), [team.id]);
      const inForce = { secret: 'whsec_new', setAt: planned.from };
      assert.deepEqual(await teams.readSigningSecret(team.id), inForce);
      assert.equal(await nextSecrets.find(team.id), null);
      assert.equal(await nextSecrets.reveal(team.id), null);
      assert.equal(await nextSecrets.readEarliest(), null);
      assert.deepEqual(await nextSecrets.changeDue(planned.from + HOUR), []);
      assert.equal(await teams.readSigningSecret(other.id), null);
    });

    test('is replaced by another plan, put in force at once, or dropped', async () => {
      await using store = await openTestStore();
      const { nextSecrets, teams } = store;
      const [team, other] = [await aTeam(store), await aTeam(store)];
      const planned = { setAt: TEST_START, from: TEST_START + HOUR };
      for (const { id } of [team, other]) await nextSecrets.plan(id, 'whsec_1', planned);
      await nextSecrets.plan(team.id, 'whsec_2', { ...planned, from: TEST_START + 2 * HOUR });
      assert.equal(await nextSecrets.reveal(team.id), 'whsec_2');
      assert.equal(await nextSecrets.useNow(team.id, TEST_START + 1), true);
      assert.equal((await teams.readSigningSecret(team.id))?.secret, 'whsec_2');
      assert.equal(await nextSecrets.useNow(team.id, TEST_START + 2), false);
      assert.equal(await nextSecrets.reveal(other.id), 'whsec_1', 'another team’s stays planned');
      await nextSecrets.drop(other.id);
      assert.equal(await nextSecrets.find(other.id), null);
      assert.deepEqual(await nextSecrets.changeDue(TEST_START + 3 * HOUR), []);
      assert.equal(await teams.readSigningSecret(other.id), null);
    });

    test('goes with the present one, and never comes into force for a deleted team', async () => {
      await using store = await openTestStore();
      const { nextSecrets, teams } = store;
      const [team, gone] = [await aTeam(store), await aTeam(store)];
      const planned = { setAt: TEST_START, from: TEST_START + HOUR };
      for (const { id } of [team, gone]) await nextSecrets.plan(id, 'whsec_1', planned);
      await teams.removeSigningSecret(team.id);
      await store.database.transact((trx) =>
        trx.updateTable('teams').set({ deleted_at: 1 }).where('id', '=', gone.id).execute(),
      );
      assert.equal(await nextSecrets.readEarliest(), null);
      assert.deepEqual(await nextSecrets.changeDue(planned.from), []);
    });
  });
});
