import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '#domain/base/ids';
import {
  aClaimant,
  aClaimedJob,
  aCron,
  aJob,
  aNode,
  aSettlement,
  aTeam,
  claimJobs,
  declareDead,
  FAILED,
  runCron,
} from '#testing/factories';
import { forEachStore, TEST_START, type TestStore } from '#testing/stores';

async function outcomesOf(store: TestStore, teamId: string): Promise<Record<string, number>> {
  const hours = await store.outcomes.readHours(teamId, TEST_START);
  return Object.fromEntries(hours.map(({ outcome, runs }) => [outcome, runs]));
}

forEachStore((_, openTestStore) => {
  describe('counts of outcomes by hour', () => {
    test('every attempt counts once, as success, retried or failed', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store, 10_000_000);
      for (const status of ['success', 'success', 'retried', 'dead_lettered'] as const) {
        const job = await aClaimedJob(store, team.id, node);
        const next = { id: newId(TEST_START), scheduledAt: TEST_START + 60_000 };
        const settlement = aSettlement(store, job, {
          status,
          next: status === 'retried' ? next : null,
        });
        assert.equal(await store.runs.settle(node, settlement), true);
        // The claim is gone by now, so this has no effect.
        assert.equal(await store.runs.settle(node, settlement), false);
      }
      assert.deepEqual(await outcomesOf(store, team.id), { success: 2, retried: 1, failed: 1 });
      assert.deepEqual(await outcomesOf(store, (await aTeam(store)).id), {});
      await store.testClock.advance(3_600_000);
      await runCron(store, node, await aCron(store, team.id), FAILED);
      const last = (await store.outcomes.readHours(team.id, TEST_START)).at(-1);
      assert.deepEqual(last, { hour: TEST_START + 3_600_000, outcome: 'failed', runs: 1 });
    });

    test('runs over the monthly limit and cut-off runs count as failed', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const { queueId } = await aJob(store, team.id);
      await aJob(store, team.id);
      const { claimed } = await claimJobs(store, node, { queueIds: [queueId], monthlyLimit: 1 });
      assert.equal(claimed.length, 1);
      assert.deepEqual(await outcomesOf(store, team.id), { failed: 1 });
      await aCron(store, team.id, { nextRunAt: TEST_START });
      const claimant = aClaimant(store, node, 1);
      await store.runs.claimExecutions([{ id: team.id, slots: 1 }], claimant);
      assert.deepEqual(await outcomesOf(store, team.id), { failed: 2 });
      assert.deepEqual(await store.durations.readHours(team.id, team.id, 0), [], 'not sent');
      await store.testClock.advance(60_000);
      await declareDead(store);
      assert.deepEqual(await outcomesOf(store, team.id), { failed: 3 });
    });
  });
});
