import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#domain/base/log';
import { aCron, aDeadLetter, aNewJob } from '#testing/factories';
import { fillJobs } from '#testing/fill';
import { forEachStore, TEST_START } from '#testing/stores';
import { ANYBODY, openWork } from '#testing/work';
import { createBulkRunner } from './bulk-runner.ts';
import type { Work } from './work.ts';

/** §2.5: who creates runs is the person that the work is for, whatever a caller gives. */

const actorOf = async (work: Work, teamId: string, id: string) =>
  (await work.findJob(teamId, id))?.actor;

forEachStore((_, openTestStore, once) => {
  test('a caller of the limited work can set no other creator of jobs and runs', async () => {
    await using fixture = await openWork(openTestStore);
    const { store, node } = fixture;
    const { id: teamId } = fixture.team;
    const work = fixture.work.for(ANYBODY);
    const { payload: _, ...job } = aNewJob(teamId);
    const made = await work.createJob(teamId, { ...job, payloadJson: null }, 'Mallory');
    assert.equal(await actorOf(work, teamId, made.jobId), 'Ada');
    const cron = await aCron(store, teamId);
    assert.equal((await work.runCronNow(teamId, cron.id))?.actor, 'Ada');
    await work.actOnCrons(teamId, 'run', { ids: [cron.id] });
    const runs = await work.listExecutions(teamId, cron.id, 10);
    assert.deepEqual(
      runs.map(({ actor }) => actor),
      ['Ada', 'Ada'],
    );
    const retries: ((id: string) => Promise<unknown>)[] = [
      (id) => work.retryJob(teamId, id),
      (id) => work.retryJob(teamId, id, { again: true }),
      (id) => work.actOnJobs(teamId, 'retry', [id]),
      () => work.startBulk(teamId, 'retry', { tab: 'failed' }),
    ];
    for (const retry of retries) {
      const failed = await aDeadLetter(store, teamId, node, { actor: 'Bob' });
      await retry(failed.id);
      const found = await work.findJob(teamId, failed.id);
      assert.deepEqual(
        [found?.actor, await actorOf(work, teamId, found?.retriedAs ?? '')],
        ['Bob', 'Ada'],
        retry.toString(),
      );
    }
  });

  once('a retry of many jobs in the background names who started it', async () => {
    await using fixture = await openWork(openTestStore);
    const { store } = fixture;
    const { id: teamId } = fixture.team;
    const queue = await store.queues.save(teamId, 'mail', {}, TEST_START);
    const ended = { status: 'dead_lettered', completed_at: TEST_START - 1000, reason: 'timeout' };
    const failed = { team_id: teamId, queue_id: queue.id, ...ended };
    const jobs = Array.from({ length: 201 }, () => failed);
    await fillJobs(store, jobs);
    const work = fixture.work.for(ANYBODY);
    const outcome = await work.startBulk(teamId, 'retry', { tab: 'failed' });
    assert.equal(outcome.kind, 'started');
    await createBulkRunner({ store, log: silentLog }).runOpen();
    const { rows } = await work.searchJobs(teamId, { tab: 'pending' }, { limit: 200 });
    assert.equal(rows.length, 200);
    assert.deepEqual([...new Set(rows.map(({ actor }) => actor))], ['Ada']);
  });
});
