import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdRows } from '#testing/holder';
import {
  aClaimant,
  aClaimedJob,
  aCron,
  aNode,
  aTeam,
  aWaitingCallback,
  declareDead,
} from '#testing/factories';
import { pluck } from '#testing/pluck';
import { forEachStore, openPostgresTestStore } from '#testing/stores';
import { all } from '../database/rows.ts';

describe('runs claimed in a node’s name without its knowing', () => {
  forEachStore((_name, openTestStore) => {
    test("lost claims wait again and are not counted; known and others' runs stay", async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const [node, other] = [await aNode(store), await aNode(store)];
      const known = await aClaimedJob(store, team.id, node);
      const lostClaim = await aClaimedJob(store, team.id, node, { queue: 'stray' });
      const others = await aClaimedJob(store, team.id, other, { queue: 'others' });
      await aCron(store, team.id, { nextRunAt: store.clock.now() });
      const asked = [{ id: team.id, slots: 10 }];
      const { claimed } = await store.runs.claimExecutions(asked, aClaimant(store, node));
      const used = () => store.usage.usedInMonth(team.id, store.clock.now());
      assert.equal(await used(), 4);

      const released = await store.nodes.releaseLostClaims(node, new Set([known.id]));
      const releasedIds = new Set(released.map(({ id }) => id));
      assert.deepEqual(releasedIds, new Set([lostClaim.id, claimed[0]?.id]));
      assert.equal(await used(), 2);
      const statusOf = async ({ id }: { id: string }) =>
        (await store.jobs.find(team.id, id))?.status;
      assert.equal(await statusOf(lostClaim), 'pending');
      for (const run of [known, others]) assert.equal(await statusOf(run), 'processing');
      const again = await store.runs.claimExecutions(asked, aClaimant(store, other));
      assert.deepEqual(
        pluck(again.claimed, 'id'),
        claimed.map(({ id }) => id),
        'an execution that was put back is run as the same one',
      );
      assert.deepEqual(await store.nodes.releaseLostClaims(node, new Set([known.id])), []);
    });

    test('lost claims are searched in the queues of unanswered claims, from the first one on', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const before = await aClaimedJob(store, team.id, node);
      await store.testClock.advance(1_000);
      const since = store.clock.now();
      const lostClaim = await aClaimedJob(store, team.id, node, { queue: 'doubtful' });
      const elsewhere = await aClaimedJob(store, team.id, node, { queue: 'elsewhere' });
      const queueIds = [before.queueId, lostClaim.queueId];
      const released = await store.nodes.releaseLostClaims(node, new Set(), { queueIds, since });
      assert.deepEqual(
        released.map(({ id, dueAt }) => [id, dueAt]),
        [[lostClaim.id, lostClaim.dueAt]],
      );
      for (const { id } of [before, elsewhere]) {
        assert.equal((await store.jobs.find(team.id, id))?.status, 'processing');
      }
      assert.equal(await store.usage.usedInMonth(team.id, since), 2);
    });
  });
});

forEachStore((_name, openTestStore) => {
  test('callbacks of a claim whose answer was lost wait again, and known ones do not', async () => {
    await using store = await openTestStore();
    const { id: teamId } = await aTeam(store);
    const node = await aNode(store);
    const known = await aWaitingCallback(store, teamId, node);
    const lost = await aWaitingCallback(store, teamId, node);
    const asked = [{ teamId, slots: 9 }];
    assert.equal((await store.callbacks.take(node, asked)).length, 2);
    const released = await store.nodes.releaseLostClaims(node, new Set([known]));
    assert.deepEqual(
      released.map(({ kind, id }) => [kind, id]),
      [['callback', lost]],
    );
    assert.deepEqual(pluck(await store.callbacks.take(node, asked), 'id'), [lost]);
  });

  test('callbacks that a dead node may have sent are deleted, and the others are taken once', async () => {
    await using store = await openTestStore();
    const { id: teamId } = await aTeam(store);
    const [dead, other] = [await aNode(store), await aNode(store)];
    const taken = await aWaitingCallback(store, teamId, dead);
    const waiting = await aWaitingCallback(store, teamId, dead);
    const take = async (node: string, slots: number) =>
      (await store.callbacks.take(node, [{ teamId, slots }])).map(({ id }) => id);
    assert.deepEqual(await take(dead, 1), [taken]);
    await declareDead(store, dead);
    const left = await all(store.database, 'callbacks', {});
    assert.deepEqual(pluck(left, 'id'), [waiting]);
    assert.deepEqual(await take(dead, 9), []);
    assert.deepEqual(await take(other, 9), [waiting]);
    assert.deepEqual(await take(other, 9), []);
  });
});

test('a callback that is sent during the search for lost claims does not wait again, on Postgres', async () => {
  await using store = await openPostgresTestStore();
  const team = await aTeam(store);
  const node = await aNode(store);
  await aWaitingCallback(store, team.id, node);
  assert.equal((await store.callbacks.take(node, [{ teamId: team.id, slots: 1 }])).length, 1);
  await using holder = await holdRows(store);
  await holder.query('delete from callbacks');
  const looking = store.nodes.releaseLostClaims(node, new Set());
  await holder.untilSomebodyWaits();
  await holder.query('commit');
  assert.deepEqual(await looking, []);
  assert.deepEqual(await store.callbacks.take(node, [{ teamId: team.id, slots: 1 }]), []);
});
