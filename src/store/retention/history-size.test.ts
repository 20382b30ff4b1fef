import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { DAY_MS } from '#domain/base/instant';
import { ask } from '#testing/ask';
import { aClaimedJob, aCron, aJob, aNode, aQueue, aTeam } from '#testing/factories';
import { fillExecutions, fillJobs, fillResponses } from '#testing/fill';
import { pluck } from '#testing/pluck';
import { refreshStatistics as refresh } from '#testing/statistics';
import { forEachStore, openPostgresTestStore, type TestStore } from '#testing/stores';
import { readSpans } from './partitions.ts';

const RUNS = 1_200;
const BODY_BYTES = 1_000;
/** Of all bodies. */
const BODIES = RUNS * BODY_BYTES;
const STATUSES = ['success', 'dead_lettered', 'retried', 'failed'] as const;

/** Ended jobs of all kinds and executions, evenly over the last 24 days, with incompressible responses. */
async function aHistory(store: TestStore) {
  const { id: team_id } = await aTeam(store);
  // Longer than the history, which has no influence.
  const { id: queue_id } = await aQueue(store, team_id, { deadLetterDays: 365 });
  const { id: cron_id } = await aCron(store, team_id);
  const now = store.clock.now();
  const ends = Array.from({ length: RUNS }, (_, n) => now - (24 * DAY_MS * (RUNS - n)) / RUNS);
  const of = (n: number) => ends.filter((_, at) => at % 5 === n).map(Math.floor);
  const jobs = STATUSES.flatMap((status, n) =>
    of(n).map((completed_at) => {
      return { team_id, queue_id, status, completed_at, created_at: completed_at };
    }),
  );
  const runs = of(4).map((completed_at) => ({ team_id, cron_id, completed_at }));
  const ids = [...(await fillJobs(store, jobs)), ...(await fillExecutions(store, runs))];
  const body = () => randomBytes(BODY_BYTES / 2).toString('hex');
  await fillResponses(
    store,
    ids.map((run_id) => ({ team_id, run_id, body: body() })),
  );
  await refresh(store);
  return { teamId: team_id };
}

async function endsOf(store: TestStore): Promise<number[]> {
  const text = `select completed_at as at from ended_jobs
    union all select completed_at from ended_executions order by at`;
  return pluck(await ask<{ at: number }>(store, text), 'at');
}

const used = async (store: TestStore) =>
  (await store.retention.readSize(store.clock.now())).usedBytes;

/** One look and what it finds. @returns the number of deleted rows; null: nothing to do */
async function shrink(store: TestStore, maxBytes: number): Promise<number | null> {
  const look = await store.retention.lookAtSize(maxBytes, store.clock.now());
  if (look.cut === null) return null;
  await store.retention.dropPartitionsUntil(look.cut);
  let deleted = 0;
  for (let rows = 100; rows === 100; deleted += rows)
    rows = await store.retention.deleteEndedUntil(look.cut, 100);
  await refresh(store);
  return deleted;
}

forEachStore((_name, openTestStore) => {
  describe('a history that is limited by size', () => {
    test('the used space grows with responses and falls with their deletion', async () => {
      await using store = await openTestStore({ isUnused: true });
      const empty = await used(store);
      await aHistory(store);
      const size = await store.retention.readSize(store.clock.now());
      const grown = size.usedBytes - empty;
      assert.ok(grown > BODIES && grown < 2 * BODIES, `${grown} of ${BODIES}`);
      assert.equal(size.endedRuns, RUNS);
      await store.retention.deleteEndedUntil(store.clock.now() - 12 * DAY_MS, RUNS);
      await refresh(store);
      const after = await store.retention.readSize(store.clock.now());
      const part = (after.usedBytes - empty) / grown;
      assert.ok(part > 0.35 && part < 0.65, `${part}`);
      // The free space stays in the database.
      assert.ok(after.bytes >= size.bytes, `${after.bytes} of ${size.bytes}`);
    });

    test('the oldest runs of every kind are deleted until the limit holds, and not many more', async () => {
      await using store = await openTestStore({ isUnused: true });
      const empty = await used(store);
      const { teamId } = await aHistory(store);
      const node = await aNode(store, 1e9);
      const running = await aClaimedJob(store, teamId, node);
      const waiting = await aJob(store, teamId);
      const before = await endsOf(store);
      const maxBytes = empty + 0.6 * ((await used(store)) - empty);
      let looks = 0;
      while ((await shrink(store, maxBytes)) !== null) looks++;
      const after = await endsOf(store);
      assert.deepEqual(after, before.slice(-after.length));
      assert.ok((await used(store)) <= maxBytes);
      assert.ok(after.length > 0.4 * RUNS && after.length < 0.75 * RUNS, `${after.length}`);
      assert.ok(looks > 2 && looks < 20, `${looks}`);
      for (const id of [running.id, waiting.jobId])
        assert.notEqual(await store.jobs.find(teamId, id), null);
    });
  });
});

test('a whole partition before the cut is dropped', async () => {
  await using store = await openPostgresTestStore({ isUnused: true });
  const now = store.clock.now();
  await store.retention.keepPartitions(now, { historyDays: 30 });
  await aHistory(store);
  const before = await store.database.read(readSpans);
  const cut = now - 10 * DAY_MS;
  const dropped = await store.retention.dropPartitionsUntil(cut);
  const after = await store.database.read(readSpans);
  assert.ok(dropped >= 3);
  assert.equal(after.length, before.length - dropped);
  assert.ok(after.every(({ to }) => to * DAY_MS > cut));
  const { made } = await store.retention.keepPartitions(now, { historyDays: 30 });
  assert.equal(made, 0, 'they are not made again');
});
