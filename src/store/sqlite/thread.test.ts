import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { all, change } from '../database/rows.ts';
import { aJob, aQueue, aTeam } from '#testing/factories';
import { openSqliteTestStore } from '#testing/stores';

describe('a SQLite file on the caller’s own thread', () => {
  test('reads and transaction scripts are separated from an open transaction, which may fail', async () => {
    await using store = await openSqliteTestStore();
    const team = await aTeam(store);
    await aQueue(store, team.id);
    const begun = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const transaction = store.database.transact(async (trx) => {
      await change(trx, 'teams', { id: team.id }, { name: 'Half' });
      begun.resolve();
      await asked.promise;
      // Answered after the script has arrived.
      assert.deepEqual(await all(trx, 'jobs', {}), []);
      throw new Error('undone');
    });
    await begun.promise;
    const accepted = aJob(store, team.id);
    const found = store.teams.find(team.id);
    setImmediate(() => setImmediate(asked.resolve));
    await assert.rejects(transaction, /undone/);
    assert.equal((await found)?.name, team.name);
    const { jobId } = await accepted;
    assert.equal((await store.jobs.find(team.id, jobId))?.status, 'pending');
  });

  test("a store on the caller's thread reads on a connection that cannot write", async () => {
    await using store = await openSqliteTestStore();
    await assert.rejects(
      store.database.read((db) => db.run("update teams set name = 'Nobody'")),
      /readonly database/,
    );
  });
});
