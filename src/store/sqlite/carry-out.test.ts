import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, remove } from '../database/rows.ts';
import { newId } from '#domain/base/ids';
import { aQueue, aTeam } from '#testing/factories';
import { openSqliteTestStore, TEST_START, type TestStore } from '#testing/stores';
import { acceptScript } from '../jobs/accept-jobs.ts';

/** The input of `acceptScript` for one job. */
function aRow(teamId: string, overrides: Record<string, unknown> = {}) {
  const times = { created_at: TEST_START, scheduled_at: TEST_START };
  const job = { method: 'POST', url: 'http://127.0.0.1/', ...times };
  return { team_id: teamId, id: newId(TEST_START), queue: 'mail', ...job, ...overrides };
}

async function aStoreWithQueue() {
  const store = await openSqliteTestStore();
  const team = await aTeam(store);
  await aQueue(store, team.id, { name: 'mail' });
  return { store, teamId: team.id };
}

function accept(store: TestStore, ...rows: object[]) {
  return store.database.perform(acceptScript, JSON.stringify(rows));
}

test('a transaction script that fails is rolled back alone', async () => {
  const { store, teamId } = await aStoreWithQueue();
  await using _ = store;
  const [first, twin, last] = [aRow(teamId), aRow(teamId), aRow(teamId)];
  const outcomes = await Promise.allSettled([
    accept(store, first),
    // The second row has no method.
    accept(store, twin, aRow(teamId, { method: null })),
    accept(store, last),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  const ids = (await store.jobs.list(teamId, { limit: 10 })).map(({ id }) => id);
  assert.deepEqual(ids.toSorted(), [first.id, last.id].toSorted());
});

test('a transaction script waits until an open transaction has ended', async () => {
  const { store, teamId } = await aStoreWithQueue();
  await using _ = store;
  const row = aRow(teamId);
  const begun = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const transaction = store.database.transact(async (trx) => {
    await remove(trx, 'callbacks', {});
    begun.resolve();
    await asked.promise;
    // This is answered after the script arrived, so a thread that did not wait would have run the script by now.
    assert.deepEqual(await all(trx, 'jobs', {}), []);
    throw new Error('undone');
  });
  await begun.promise;
  const accepted = accept(store, row);
  asked.resolve();
  await assert.rejects(transaction, /undone/);
  await accepted;
  assert.equal((await store.jobs.find(teamId, row.id))?.id, row.id);
});
