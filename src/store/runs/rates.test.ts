import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Rate } from '#domain/team/rate';
import { aClaimant, aJob, aNode, aQueue, aTeam } from '#testing/factories';
import { forEachStore, type OpenTestStore } from '#testing/stores';
import type { Store } from '../store.ts';

describe('the rate of a queue (§3.8)', () => {
  forEachStore((_name, openTestStore) => {
    test('nodes that claim at once keep to the rate together', async () => {
      await using scene = await makeScene(openTestStore, { count: 100, per: 'second' });
      const { store, claim } = scene;
      const other = await store.openAnother();
      const nodes = [await aNode(store), await aNode(other)];
      const startAll = async () => {
        const claims = await Promise.all([store, other].map((each, n) => claim(each, nodes[n])));
        return claims.reduce((sum, { claimed }) => sum + claimed.length, 0);
      };
      // A claim that waits too long for the queue's row goes on without it, and asks again.
      const started = (await startAll()) + (await startAll()) + (await startAll());
      assert.equal(started, 11, 'the starts of a tenth of a second, and one');
      await store.testClock.advance(50);
      assert.equal(await startAll(), 5);
    });

    test('a rate and a concurrency limit both apply, and saving settings spends no rate', async () => {
      await using scene = await makeScene(openTestStore, { count: 20, per: 'second' });
      const { store, claim, set } = scene;
      assert.equal((await claim()).claimed.length, 3);
      await set({ concurrencyLimit: 4 });
      assert.equal((await claim()).claimed.length, 0);
      await store.testClock.advance(100);
      const atLimit = await claim();
      assert.equal(atLimit.claimed.length, 1);
      assert.equal(atLimit.groups[0]?.blocker, 'at-limit');
      await set({ concurrencyLimit: null });
      assert.equal((await claim()).claimed.length, 1, 'of two one was left over by the limit');
      await set({ rate: null });
      const free = await claim();
      assert.equal(free.claimed.length, 10);
      assert.equal('notBefore' in (free.groups[0] ?? {}), false);
    });

    test('a rate is not used up by jobs over the monthly limit', async () => {
      await using scene = await makeScene(openTestStore, { count: 1, per: 'hour' });
      const { store, claim, node } = scene;
      const none = { ...aClaimant(store, node), limits: { byPlan: new Map(), other: 0 } };
      const blocked = await store.runs.claimJobs([{ id: scene.queueId, slots: 10 }], none);
      assert.deepEqual([blocked.claimed.length, blocked.blocked], [0, 1]);
      assert.equal((await claim()).claimed.length, 1);
      assert.equal((await claim()).claimed.length, 0);
    });
  });
});

/** A queue with a rate and forty jobs that are due. */
async function makeScene(openTestStore: OpenTestStore, rate: Rate) {
  const store = await openTestStore({ onThisThread: false });
  const team = await aTeam(store);
  const node = await aNode(store);
  const { id: queueId } = await aQueue(store, team.id, { rate });
  await Promise.all(Array.from({ length: 40 }, () => aJob(store, team.id)));
  return {
    store,
    node,
    queueId,
    claim: async (from: Store = store, by = node) =>
      from.runs.claimJobs([{ id: queueId, slots: 10 }], aClaimant(store, by)),
    set: (change: object) => store.queues.update(team.id, queueId, change),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
