import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCron, aJob, aNode, aQueue, aTeam, FAILED, runCron } from '#testing/factories';
import { forEachStore } from '#testing/stores';

forEachStore((_, openTestStore) => {
  test("a team's counts exclude other teams", async () => {
    await using store = await openTestStore();
    const [ours, theirs] = [await aTeam(store), await aTeam(store, { name: 'Others' })];
    await aCron(store, ours.id);
    await aCron(store, ours.id, { nextRunAt: null });
    await aQueue(store, ours.id, { name: 'paused', isPaused: true });
    await aJob(store, ours.id);
    await aJob(store, ours.id, { delaySeconds: 60 });
    await aJob(store, theirs.id);
    await aCron(store, theirs.id);
    assert.deepEqual(await store.teamCounts.readCounts(ours.id), {
      crons: { active: 1, paused: 1 },
      queues: { active: 1, paused: 1 },
      jobs: { pending: 2, processing: 0, retrying: 0 },
    });
  });

  test('a cron fails as long as its last finished run failed, and no longer', async () => {
    await using store = await openTestStore();
    const { id: teamId } = await aTeam(store);
    const cron = await aCron(store, teamId);
    await aCron(store, teamId, { name: 'Never ran' });
    const node = await aNode(store, 1e9);
    const finish = async (ending: object) => {
      await store.testClock.advance(1000);
      await runCron(store, node, cron, ending);
    };
    const failing = async () => (await store.teamCounts.readAttention(teamId)).failingCrons;
    await finish({});
    await finish(FAILED);
    assert.equal(await failing(), 1);
    await store.crons.addExecution(teamId, cron.id, store.clock.now());
    assert.equal(await failing(), 1, 'a run under way changes nothing yet');
    await finish({});
    assert.equal(await failing(), 0);
    await finish(FAILED);
    await store.crons.pause(teamId, cron.id);
    assert.equal(await failing(), 0, 'a paused cron needs no hand');
  });
});
