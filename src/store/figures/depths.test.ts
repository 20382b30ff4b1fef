import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aJob, aNode, aPausingWindow, aQueue, aTeam, claimJobs } from '#testing/factories';
import { pluck } from '#testing/pluck';
import { forEachStore, TEST_START } from '#testing/stores';
import { LOOK_EVERY_MS } from './depths.ts';

forEachStore((_, openTestStore) => {
  describe('looks at how much waits', () => {
    test('samples have due jobs and their age for each queue and the team', async () => {
      await using store = await openTestStore();
      const [ours, theirs] = [await aTeam(store), await aTeam(store)];
      const mail = await aJob(store, ours.id, { queue: 'mail' });
      await store.testClock.advance(40_000);
      await aJob(store, ours.id, { queue: 'mail' });
      await aJob(store, ours.id, { queue: 'mail', delaySeconds: 3600 });
      const reports = await aJob(store, ours.id, { queue: 'reports' });
      await aJob(store, ours.id, { queue: 'later', delaySeconds: 3600 });
      await store.testClock.advance(10_000);
      await store.depths.look(store.clock.now());
      const at = TEST_START - (TEST_START % LOOK_EVERY_MS);
      const read = (teamId: string, sourceId: string) => store.depths.read(teamId, sourceId, 0);
      const looks = [at];
      const of = (waiting: number, oldestMs: number) => ({
        looks,
        depths: [{ at, waiting, oldestMs }],
      });
      assert.deepEqual(await read(ours.id, mail.queueId), of(2, 50_000));
      assert.deepEqual(await read(ours.id, reports.queueId), of(1, 10_000));
      assert.deepEqual(await read(ours.id, ours.id), of(3, 50_000));
      for (const id of [theirs.id, mail.queueId])
        assert.deepEqual(await read(theirs.id, id), { looks, depths: [] });
    });

    test('jobs of queues that are paused, also by a window, do not count as delayed', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      await aQueue(store, team.id, { isPaused: true });
      const paused = await aJob(store, team.id);
      const inWindow = await aJob(store, team.id, { queue: 'in window' });
      await aPausingWindow(store, team.id, [{ kind: 'queue', id: inWindow.queueId }]);
      await store.depths.look(store.clock.now());
      for (const { queueId } of [paused, inWindow])
        assert.equal((await store.depths.read(team.id, queueId, 0)).depths[0]?.waiting, 1);
      assert.deepEqual((await store.depths.read(team.id, team.id, 0)).depths, []);
    });

    test('gaps between samples and the last sample are found', async () => {
      await using store = await openTestStore();
      const first = TEST_START - (TEST_START % LOOK_EVERY_MS);
      const at = (looks: number) => first + looks * LOOK_EVERY_MS;
      const find = (from: number, to: number) =>
        store.depths.readSilences({ from: at(from), to: at(to) }, 2 * LOOK_EVERY_MS);
      assert.deepEqual(await find(0, 20), []);
      for (const looks of [0, 2, 5, 6, 15]) await store.depths.look(at(looks) + 4000);
      const silence = { at: at(2), nextAt: at(5) };
      const longest = { at: at(6), nextAt: at(15) };
      const last = { at: at(15), nextAt: null };
      assert.deepEqual(await find(0, 20), [silence, longest, last]);
      assert.deepEqual(await find(7, 20), [longest, last], 'one that began before');
      assert.deepEqual(await find(-9, 14), [silence, { at: at(6), nextAt: null }]);
      assert.deepEqual(await find(18, 20), [last]);
    });

    test('the first sample of five minutes is kept', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const { queueId } = await aJob(store, team.id);
      const look = () => store.depths.look(store.clock.now());
      await Promise.all([look(), look()]);
      await claimJobs(store, node, { queueIds: [queueId] });
      await store.testClock.advance(60_000);
      await look();
      await store.testClock.advance(LOOK_EVERY_MS);
      await look();
      const { looks, depths } = await store.depths.read(team.id, queueId, 0);
      assert.equal(looks.length, 2);
      assert.deepEqual(
        pluck(depths, 'waiting'),
        [1],
        'nothing waits at the second, which says so by having no row',
      );
    });
  });
});
