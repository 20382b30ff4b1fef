import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aJob, aNewJob, aQueue, aTeam } from '#testing/factories';
import { forEachStore } from '#testing/stores';

forEachStore((_, openTestStore) => {
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
    assert.equal(await store.jobs.edit(ours.id, jobId, { ...change, queue: 'theirs' }), 'no-queue');
    assert.deepEqual(await store.jobs.find(ours.id, jobId), before);
  });
});
