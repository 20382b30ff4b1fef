import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DURATION_BOUNDS } from '#domain/runs/duration-histogram';
import { aClaimedJob, aNode, aSettlement, aTeam } from '#testing/factories';
import { forEachStore, TEST_START, type TestStore } from '#testing/stores';

const HOUR = 3_600_000;

/** The counts of the first hour by upper bound, without empty steps. */
async function readShort(store: TestStore, teamId: string, sourceId: string) {
  const hours = await store.durations.readHours(teamId, sourceId, 0);
  return hours.map(({ hour, outcome, counts }) => {
    const used = counts.flatMap((runs, n) =>
      runs > 0 ? [[DURATION_BOUNDS[n] ?? 'longer', runs]] : [],
    );
    return [(hour - TEST_START) / HOUR, outcome, Object.fromEntries(used)];
  });
}

async function settleAll(store: TestStore, node: string, teamId: string, durations: number[]) {
  const jobs = [];
  for (const durationMs of durations) {
    jobs.push({ job: await aClaimedJob(store, teamId, node), durationMs });
  }
  const ends = jobs.map(({ job, durationMs }) => aSettlement(store, job, { end: { durationMs } }));
  await Promise.all(ends.map((end) => store.runs.settle(node, end)));
  return jobs[0]?.job.queueId ?? '';
}

forEachStore((_, openTestStore) => {
  test('each run of a batch counts once for its queue and its team', async () => {
    await using store = await openTestStore();
    const [ours, theirs] = [await aTeam(store), await aTeam(store)];
    const node = await aNode(store, 10 * HOUR);
    const queueId = await settleAll(store, node, ours.id, [0, 1, 2, 12, 15, 400_000]);
    const first = [0, 'success', { 1: 2, 2: 1, 15: 2, longer: 1 }];
    assert.deepEqual(await readShort(store, ours.id, queueId), [first]);
    assert.deepEqual(await readShort(store, ours.id, ours.id), [first]);
    assert.deepEqual(await readShort(store, theirs.id, theirs.id), []);
    await store.testClock.advance(HOUR);
    await settleAll(store, node, ours.id, [3]);
    await settleAll(store, node, ours.id, [3, 4]);
    const second = [1, 'success', { 3: 2, 5: 1 }];
    assert.deepEqual(await readShort(store, ours.id, queueId), [first, second]);
  });
});
