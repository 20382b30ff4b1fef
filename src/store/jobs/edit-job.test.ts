import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aJob, aNewJob, aNode, aQueue, aTeam, claimJobs } from '#testing/factories';
import { forEachStore } from '#testing/stores';

forEachStore((_, openTestStore) => {
  describe('editing a job that waits', () => {
    test('an edited job is claimed at its new time from its new queue', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const other = await aQueue(store, team.id, { name: 'other' });
      const { jobId } = await aJob(store, team.id, { delaySeconds: 3600 });
      // Before the edit a claim from the new queue finds nothing due.
      assert.deepEqual((await claimJobs(store, node, { queueIds: [other.id] })).claimed, []);
      const { delaySeconds: _, ...job } = aNewJob(team.id, { queue: 'other', payload: '[1]' });
      const scheduledAt = store.clock.now() - 5_000;
      const edited = await store.jobs.edit(team.id, jobId, { ...job, scheduledAt });
      assert.deepEqual(edited, { id: jobId, queueId: other.id, dueAt: scheduledAt });
      const [claimed] = (await claimJobs(store, node, { queueIds: [other.id] })).claimed;
      assert.equal(claimed?.id, jobId);
      assert.equal(claimed?.payload, '[1]');
      assert.equal(await store.jobs.edit(team.id, jobId, { ...job, scheduledAt }), 'not-pending');
    });

    test('an edit changes no job of another team and moves none into its queue', async () => {
      await using store = await openTestStore();
      const [ours, theirs] = [await aTeam(store), await aTeam(store)];
      const { jobId } = await aJob(store, ours.id, { delaySeconds: 60 });
      await aQueue(store, theirs.id, { name: 'theirs' });
      const { delaySeconds: _, ...job } = aNewJob(ours.id, { url: 'http://other.example/' });
      const change = { ...job, scheduledAt: 0 };
      const before = await store.jobs.find(ours.id, jobId);
      assert.equal(await store.jobs.edit(theirs.id, jobId, change), 'no-queue');
      await aQueue(store, theirs.id, { name: job.queue });
      assert.equal(await store.jobs.edit(theirs.id, jobId, change), 'not-pending');
      assert.equal(
        await store.jobs.edit(ours.id, jobId, { ...change, queue: 'theirs' }),
        'no-queue',
      );
      assert.deepEqual(await store.jobs.find(ours.id, jobId), before);
    });
  });
});
