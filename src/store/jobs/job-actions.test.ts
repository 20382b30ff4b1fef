import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '#domain/base/ids';
import pg from 'pg';
import { aClaimedJob, aDeadLetter, aJob, aNode, aTeam } from '#testing/factories';
import { eventually } from '#testing/process';
import { forEachStore, openPostgresTestStore, postgresUrl, type TestStore } from '#testing/stores';
import { lockPending, type ResendAgain } from './job-actions.ts';

/** Two actions that locked the same rows in different orders would deadlock. */
describe('actions on many jobs, on Postgres', () => {
  for (const [action, table, make, act] of [
    ['Fire', 'jobs', pendingJobs, ({ jobs }) => jobs.fire],
    ['Delete of waiting jobs', 'jobs', pendingJobs, ({ jobs }) => jobs.deletePending],
    ['Delete of failed jobs', 'ended_jobs', failedJobs, ({ jobs }) => jobs.deleteFailed],
    ['Retry', 'ended_jobs', failedJobs, ({ jobs }) => jobs.retryFailed],
  ] as readonly [string, 'jobs' | 'ended_jobs', MakeJobs, (store: TestStore) => Act][]) {
    test(`${action} locks jobs in the order of their ids`, () => assertInOrder(table, make, act));
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
      assert.deepEqual(
        locked.map(({ id }) => id),
        [waiting.jobId],
      );
      const fired = await store.jobs.fire(team.id, ids);
      assert.deepEqual(
        fired.map(({ id }) => id),
        [waiting.jobId],
      );
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

type MakeJobs = (store: TestStore, teamId: string) => Promise<string[]>;
type Act = (teamId: string, ids: string[]) => Promise<{ length: number }>;

function pendingJobs(store: TestStore, teamId: string): Promise<string[]> {
  return twice(async () => (await aJob(store, teamId, { delaySeconds: 60 })).jobId);
}

async function failedJobs(store: TestStore, teamId: string): Promise<string[]> {
  const node = await aNode(store);
  return twice(async () => (await aDeadLetter(store, teamId, node)).id);
}

async function twice(make: () => Promise<string>): Promise<string[]> {
  return [await make(), await make()].toSorted();
}

/** Locks the first of two jobs, and asserts that an action waits for it without having locked the second. */
async function assertInOrder(
  table: 'jobs' | 'ended_jobs',
  make: MakeJobs,
  actOf: (store: TestStore) => Act,
): Promise<void> {
  await using store = await openPostgresTestStore();
  const team = await aTeam(store);
  const ids = await make(store, team.id);
  const [first, second] = ids;
  const holder = new pg.Client({ connectionString: postgresUrl(store) });
  await holder.connect();
  try {
    // Without statistics the planner may take the index by URL; now its order differs from the order of ids.
    await holder.query(`update ${table} set url = 'http://z.example/' where id = $1`, [first]);
    await holder.query('begin');
    await holder.query(`select 1 from ${table} where id = $1 for update`, [first]);
    const acted = actOf(store)(team.id, ids);
    await eventually(async () => (await countWaiting(holder)) === 1, {
      what: 'a wait for the job',
    });
    await holder.query(`select 1 from ${table} where id = $1 for update nowait`, [second]);
    await holder.query('commit');
    assert.equal((await acted).length, 2);
  } finally {
    await holder.end();
  }
}

async function countWaiting(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return rowCount ?? 0;
}
