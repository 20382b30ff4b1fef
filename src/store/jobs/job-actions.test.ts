import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '#domain/base/ids';
import { ask } from '#testing/ask';
import { aClaimedJob, aDeadLetter, aJob, aNode, aTeam } from '#testing/factories';
import { holdRows } from '#testing/holder';
import { pluck } from '#testing/pluck';
import { forEachStore, openPostgresTestStore } from '#testing/stores';
import { lockPending, type ResendAgain } from './job-actions.ts';

/** Two actions that locked the same rows in different orders would deadlock. */
test('actions on many jobs lock them in the order of their ids on Postgres', async () => {
  await using store = await openPostgresTestStore();
  const { id: teamId } = await aTeam(store);
  const node = await aNode(store);
  const { fire, deletePending, deleteFailed, retryFailed } = store.jobs;
  const waiting = async () => (await aJob(store, teamId, { delaySeconds: 60 })).jobId;
  const failed = async () => (await aDeadLetter(store, teamId, node)).id;
  for (const [table, make, act] of [
    ['jobs', waiting, fire],
    ['jobs', waiting, deletePending],
    ['ended_jobs', failed, deleteFailed],
    ['ended_jobs', failed, retryFailed],
  ] as const) {
    const ids = [await make(), await make()].toSorted();
    const [first, second] = ids;
    // Without statistics the planner may take the index by URL; now its order differs from the order of ids.
    await ask(store, `update ${table} set url = 'http://z.example/' where id = $1`, [first]);
    await using holder = await holdRows(store);
    await holder.query(`select 1 from ${table} where id = $1 for update`, [first]);
    const acted: Promise<readonly unknown[]> = act(teamId, ids);
    await holder.untilSomebodyWaits();
    await holder.query(`select 1 from ${table} where id = $1 for update nowait`, [second]);
    await holder.query('commit');
    assert.equal((await acted).length, 2, act.name);
  }
});

forEachStore((_name, openTestStore) => {
  describe('actions on waiting jobs', () => {
    test('actions on an empty list of jobs change nothing', async () => {
      await using store = await openTestStore();
      const { id } = await aTeam(store);
      await aJob(store, id);
      const { fire, deletePending, deleteFailed, retryFailed } = store.jobs;
      for (const act of [fire, deletePending, deleteFailed, retryFailed])
        assert.deepEqual(await act(id, []), []);
    });

    test('actions find waiting jobs of the team and skip started ones', async () => {
      await using store = await openTestStore();
      const [team, other] = [await aTeam(store), await aTeam(store)];
      const begun = await aClaimedJob(store, team.id, await aNode(store));
      const [waiting, theirs] = [await aJob(store, team.id), await aJob(store, other.id)];
      const ids = [begun.id, waiting.jobId, theirs.jobId];
      const locked = await store.database.transact((trx) =>
        lockPending(trx, { teamId: team.id, jobIds: ids }),
      );
      assert.deepEqual(pluck(locked, 'id'), [waiting.jobId]);
      const fired = await store.jobs.fire(team.id, ids);
      assert.deepEqual(pluck(fired, 'id'), [waiting.jobId]);
      assert.deepEqual(await store.jobs.deletePending(team.id, ids), [waiting.jobId]);
      assert.equal((await store.jobs.find(team.id, begun.id))?.status, 'processing');
      assert.equal((await store.jobs.find(other.id, theirs.jobId))?.status, 'pending');
    });
  });

  describe('retrying by an old list', () => {
    test('a retry by an old list skips jobs that were resent meanwhile', async () => {
      await using store = await openTestStore();
      const { id: teamId } = await aTeam(store);
      const { id } = await aDeadLetter(store, teamId, await aNode(store));
      const retry = async (again: ResendAgain) =>
        (await store.jobs.retryFailed(teamId, [id], { again })).length;
      assert.deepEqual([await retry(false), await retry(false)], [1, 0]);
      await store.testClock.advance(1);
      const before = newId(store.clock.now());
      await store.testClock.advance(1);
      assert.deepEqual([await retry({ before }), await retry({ before })], [1, 0]);
      assert.equal(await retry(true), 1);
    });
  });
});
