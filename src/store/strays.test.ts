import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aClaimant, aClaimedJob, aCron, aNode, aTeam } from '#testing/makers';
import { forEachStore } from '#testing/stores';

describe('runs claimed in a node’s name without its knowing', () => {
  forEachStore((_name, openTestStore) => {
    test('wait again and are not counted; what the node knows of, and what others run, stays', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const [node, other] = [await aNode(store), await aNode(store)];
      const known = await aClaimedJob(store, team.id, node);
      const stray = await aClaimedJob(store, team.id, node, { queue: 'stray' });
      const others = await aClaimedJob(store, team.id, other, { queue: 'others' });
      await aCron(store, team.id, { nextRunAt: store.clock.now() });
      const asked = [{ teamId: team.id, seats: 10 }];
      const { claimed } = await store.executions.claimDue(
        asked,
        aClaimant(store, node),
        () => null,
      );
      const used = () => store.usage.usedInMonth(team.id, store.clock.now());
      assert.equal(await used(), 4);

      const released = await store.nodes.releaseStrays(node, new Set([known.id]));
      const releasedIds = new Set(released.map(({ id }) => id));
      assert.deepEqual(releasedIds, new Set([stray.id, claimed[0]?.id]));
      assert.equal(await used(), 2);
      const jobs = await store.jobs.list(team.id, { limit: 10 });
      const statuses = new Map(jobs.map(({ id, status }) => [id, status]));
      assert.equal(statuses.get(stray.id), 'pending');
      assert.equal(statuses.get(known.id), 'processing');
      assert.equal(statuses.get(others.id), 'processing');
      const again = await store.executions.claimDue(asked, aClaimant(store, other), () => null);
      assert.deepEqual(
        again.claimed.map(({ id }) => id),
        claimed.map(({ id }) => id),
        'an execution that was put back is run as the same one',
      );
      assert.deepEqual(await store.nodes.releaseStrays(node, new Set([known.id])), []);
    });
  });
});
