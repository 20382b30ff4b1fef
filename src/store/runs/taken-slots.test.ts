import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  aClaimant,
  aJob,
  aNode,
  aQueue,
  aSettlement,
  aTeam,
  declareDead,
} from '#testing/factories';
import { forEachStore, type OpenTestStore } from '#testing/stores';
import { RECOUNT_MS } from './taken-slots.ts';

const LIMIT = 3;

describe('the concurrency slots of a queue', () => {
  forEachStore((_name, openTestStore) => {
    test('slots are free again however a run ends, and never exceed the limit', async () => {
      await using scene = await makeScene(openTestStore);
      const { store, node, claim } = scene;
      const first = await claim();
      assert.equal(first.length, LIMIT);
      await store.testClock.advance(RECOUNT_MS + 1);
      assert.equal((await claim()).length, 0, 'none is free');
      const [settled, lost, orphaned] = first;
      assert.ok(settled && lost && orphaned);
      await store.runs.settle(node, aSettlement(store, settled));
      assert.equal((await claim()).length, 1, 'one has ended');
      const known = new Set([orphaned.id]);
      assert.equal((await store.nodes.releaseLostClaims(node, known)).length, 2);
      assert.equal((await claim()).length, 2, 'two were put back, and run again');
      const heir = await declareDead(store);
      assert.equal((await claim(heir)).length, LIMIT, 'the node is dead');
      assert.equal((await claim(heir)).length, 0);
    });

    test('jobs that began before the limit was set or changed take slots', async () => {
      await using scene = await makeScene(openTestStore);
      const { store, claim, setLimit } = scene;
      assert.equal((await claim(undefined, 1)).length, 1);
      await setLimit(null);
      assert.equal((await claim(undefined, 2)).length, 2);
      await setLimit(LIMIT);
      assert.equal((await claim()).length, 0);
      await store.testClock.advance(RECOUNT_MS + 1);
      await setLimit(LIMIT + 2);
      assert.equal((await claim()).length, 2);
      await setLimit(LIMIT);
      assert.equal((await claim()).length, 0);
    });
  });
});

/** Makes a queue with a limit of three and twelve due jobs. */
async function makeScene(openTestStore: OpenTestStore) {
  const store = await openTestStore();
  const team = await aTeam(store);
  const node = await aNode(store);
  await aQueue(store, team.id, { concurrencyLimit: LIMIT });
  const jobs = await Promise.all(Array.from({ length: 12 }, () => aJob(store, team.id)));
  const queueId = jobs[0]?.queueId ?? '';
  return {
    store,
    node,
    claim: async (by = node, slots = 10) => {
      const asked = [{ id: queueId, slots }];
      return (await store.runs.claimJobs(asked, aClaimant(store, by))).claimed;
    },
    setLimit: (concurrencyLimit: number | null) =>
      store.queues.update(team.id, queueId, { concurrencyLimit }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
