/** §3.9, with the service and its clock. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { DAY_MS } from '#domain/base/instant';
import { aJob, aQueue } from '#testing/factories';
import { fillJobs, fillResponses } from '#testing/fill';
import { startService } from '#testing/service';
import { eventually } from '#testing/process';
import { refreshStatistics } from '#testing/statistics';
import { openThreadedTestStore } from '#testing/stores';

const RUNS = 2_000;
const MAX_BYTES = 10 * 2 ** 20;

/** On SQLite; housekeeping.test.ts has the same steps on both databases. */
test('HISTORY_MAX_MB deletes the oldest runs of a larger database', async () => {
  const env = { HISTORY_MAX_MB: '10' };
  await using service = await startService(openThreadedTestStore, { env, sends: false });
  await service.start();
  const { store, clock, teamId } = service;
  const queue = await aQueue(store, teamId);
  const now = store.clock.now();
  const jobs = Array.from({ length: RUNS }, (_, n) => ({
    team_id: teamId,
    queue_id: queue.id,
    status: n % 2 === 0 ? 'success' : 'dead_lettered',
    completed_at: now - Math.floor((9 * DAY_MS * n) / RUNS),
  }));
  const ids = await fillJobs(store, jobs);
  const body = () => randomBytes(3_500).toString('hex');
  await fillResponses(
    store,
    ids.map((run_id) => ({ team_id: teamId, run_id, body: body() })),
  );
  const waiting = await aJob(store, teamId, { delaySeconds: 86_400 });
  const refresh = () => refreshStatistics(store);
  await refresh();
  const used = async () => (await store.retention.readSize(store.clock.now())).usedBytes;
  const before = await used();
  assert.ok(before > 1.3 * MAX_BYTES, `${before}`);
  const look = async () => {
    // Ticks shorter than a minute, so that all chores have a turn between two looks.
    for (let n = 0; n < 30; n++) {
      await clock.advance(2_000);
      await setTimeout(5);
    }
    await refresh();
  };
  const isWithin = async () => {
    await look();
    return (await used()) <= MAX_BYTES;
  };
  await eventually(isWithin, { everyMs: 0, what: 'a history within the limit' });
  for (let n = 0; n < 3; n++) await look();
  const newest = await store.jobs.find(teamId, ids[0] ?? '');
  const oldest = await store.jobs.find(teamId, ids.at(-1) ?? '');
  assert.deepEqual([newest !== null, oldest !== null], [true, false]);
  assert.ok((await used()) > 0.6 * MAX_BYTES, 'not more than needed');
  assert.notEqual(await store.jobs.find(teamId, waiting.jobId), null);
});
