import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  aClaimedJob,
  aDeadLetter,
  aJob,
  aNode,
  aPausingWindow,
  aQueue,
  aTeam,
} from '#testing/factories';
import { forEachStore } from '#testing/stores';

const NONE = { count: 0, oldestMs: 0 };

forEachStore((_name, openTestStore) => {
  test('waiting jobs are counted by state with the age of the oldest', async () => {
    await using store = await openTestStore();
    const team = await aTeam(store);
    const node = await aNode(store);
    const none = { due: NONE, paused: NONE, scheduled: NONE, processing: NONE };
    assert.deepEqual(await store.backlog.read(store.clock.now()), none);
    await aDeadLetter(store, team.id, node);
    await aClaimedJob(store, team.id, node);
    await store.testClock.advance(5_000);
    await aJob(store, team.id, { queue: 'a' });
    await aJob(store, team.id, { queue: 'paused' });
    await aQueue(store, team.id, { name: 'paused', isPaused: true });
    await store.testClock.advance(2_000);
    await aJob(store, team.id, { queue: 'b' });
    const now = store.clock.now();
    await aJob(store, team.id, { queue: 'a', delaySeconds: 60 });
    assert.deepEqual(await store.backlog.read(now), {
      due: { count: 2, oldestMs: 2_000 },
      paused: { count: 1, oldestMs: 2_000 },
      scheduled: { count: 1, oldestMs: 0 },
      processing: { count: 1, oldestMs: 7_000 },
    });
  });

  test('jobs that a maintenance window pauses count as paused while it is active', async () => {
    await using store = await openTestStore();
    const team = await aTeam(store);
    const { queueId } = await aJob(store, team.id, { queue: 'held' });
    await aJob(store, team.id, { queue: 'free' });
    const window = await aPausingWindow(store, team.id, [{ kind: 'queue', id: queueId }]);
    const states = async () => {
      const { due, paused } = await store.backlog.read(store.clock.now());
      return [due.count, paused.count];
    };
    assert.deepEqual(await states(), [1, 1]);
    await store.testClock.advance(window.endsAt - store.clock.now());
    assert.deepEqual(await states(), [2, 0]);
  });
});
