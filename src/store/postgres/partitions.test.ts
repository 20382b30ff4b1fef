import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CompiledQuery } from 'kysely';
import pg from 'pg';
import { holdRows } from '#testing/holder';
import { aClaimedJob, aNode, aQueue, aSettlement, aTeam } from '#testing/factories';
import { openPostgresTestStore, postgresUrl, TEST_START, type TestStore } from '#testing/stores';
import { coveredMs, daysOfPartition, readSpans, spansToDrop, spansToMake } from './partitions.ts';

const DAY_MS = 86_400_000;

describe('the partitions of a history', () => {
  test('cover all of it and some time ahead, without a gap, and none reaches into another', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4_000 * DAY_MS, max: 30_000 * DAY_MS }),
        fc.integer({ min: 1, max: 3650 }),
        fc.integer({ min: 1, max: 3650 }),
        fc.integer({ min: 0, max: 400 }),
        (now, before, historyDays, daysLater) => {
          const first = spansToMake([], { now, historyDays: before, lastOfRest: null });
          const later = now + daysLater * DAY_MS;
          const spans = [
            ...first,
            ...spansToMake(first, { now: later, historyDays, lastOfRest: null }),
          ];
          for (const [n, { from, to }] of spans.entries()) {
            assert.ok(from < to);
            const previous = spans[n - 1];
            if (previous) assert.ok(previous.to <= from);
          }
          const covers = (at: number) =>
            spans.some(({ from, to }) => from * DAY_MS <= at && at < to * DAY_MS);
          assert.ok(covers(now) && covers(now - before * DAY_MS));
          assert.ok(covers(later) && covers(later + DAY_MS));
        },
      ),
    );
  });

  test('are few, however long it is', () => {
    for (const historyDays of [1, 2, 7, 30, 365, 3650]) {
      assert.ok(
        spansToMake([], { now: TEST_START, historyDays, lastOfRest: null }).length <= 12,
        `${historyDays} days`,
      );
    }
  });

  test('begin the day after the last job that is with the rest', () => {
    const now = 1000 * DAY_MS + 5;
    const spans = spansToMake([], { now, historyDays: 30, lastOfRest: now - 1 });
    assert.deepEqual(spans[0], { from: 1001, to: 1006 });
  });

  test('reach as far ahead as they follow on each other from now on', () => {
    const reach = (...spans: [number, number][]) =>
      coveredMs(
        spans.map(([from, to]) => ({ from, to })),
        100 * DAY_MS + 1,
      );
    assert.equal(reach(), 0);
    assert.equal(reach([90, 100]), 0);
    assert.equal(reach([101, 105]), 0);
    assert.equal(reach([105, 110], [100, 105], [111, 115]), 10 * DAY_MS - 1);
  });

  test('go once all that they may hold is older than the history, and not before', () => {
    const span = { from: 100, to: 105 };
    const dropped = (now: number) => spansToDrop([span], now, 30).length;
    assert.deepEqual([dropped(135 * DAY_MS - 1), dropped(135 * DAY_MS)], [0, 1]);
    assert.equal(daysOfPartition(30), 5);
  });
});

describe('partitions on Postgres', () => {
  test('are made once, and take the jobs that end', async () => {
    await using store = await openPostgresTestStore();
    assert.ok((await keep(store)).made > 5);
    assert.deepEqual(await keep(store), { made: 0, dropped: 0 });
    await endJob(store);
    assert.equal(await countRows(store, 'ended_jobs_rest'), 0);
    assert.equal(await countRows(store, 'ended_jobs_done'), 1);
  });

  test('that were not made refuse no job: it is kept with the rest, and goes row by row', async () => {
    await using store = await openPostgresTestStore();
    const { id: teamId, jobId } = await endJob(store);
    assert.equal(await countRows(store, 'ended_jobs_rest'), 1);
    assert.equal((await store.jobs.find(teamId, jobId))?.status, 'success');
    const later = store.clock.now() + 30 * DAY_MS;
    const asked = { now: later, historyDays: 30, limit: 10 };
    assert.equal(await store.retention.deleteSome('jobs', asked), 1);
  });

  test('go with what they hold; dead letters, and what waits, stay', async () => {
    await using store = await openPostgresTestStore();
    await keep(store);
    const { id: teamId, jobId } = await endJob(store);
    await aQueue(store, teamId, { name: 'kept', deadLetterDays: 365 });
    const dead = await endJob(store, 'dead_lettered', { teamId, queue: 'kept' });
    const before = await readSpans(store.database);
    await store.testClock.advance(36 * DAY_MS);
    const work = await keep(store);
    assert.ok(work.dropped > 0 && work.made > 0);
    assert.equal(await store.jobs.find(teamId, jobId), null);
    assert.equal((await store.jobs.find(teamId, dead.jobId))?.status, 'dead_lettered');
    assert.equal((await store.jobs.retryFailed(teamId, [dead.jobId])).length, 1);
    const after = await readSpans(store.database);
    assert.ok(after.length <= before.length + 1);
  });

  test('that were made for a longer history lose row by row what a shorter one would have dropped', async () => {
    await using store = await openPostgresTestStore();
    // Partitions for a long history, made a month ago: so the one that the job goes into would be kept for another
    // month.
    await store.retention.keepPartitions(store.clock.now() - 30 * DAY_MS, 365);
    const { id: teamId, jobId } = await endJob(store);
    const tidy = async () => {
      const now = store.clock.now();
      await store.retention.keepPartitions(now, 7);
      return store.retention.deleteSome('jobs', { now, historyDays: 7, limit: 10 });
    };
    await store.testClock.advance(9 * DAY_MS - 1);
    assert.equal(await tidy(), 0);
    await store.testClock.advance(1);
    assert.equal(await tidy(), 1);
    assert.equal(await store.jobs.find(teamId, jobId), null);
  });

  test('that somebody reads are left alone without holding up anybody, until the next time', async () => {
    await using store = await openPostgresTestStore();
    await keep(store);
    await endJob(store);
    const reader = new pg.Client({ connectionString: postgresUrl(store) });
    await reader.connect();
    try {
      await reader.query('begin');
      await reader.query('select count(*) from ended_jobs');
      await store.testClock.advance(40 * DAY_MS);
      await assert.rejects(keep(store), { code: 'STORE_UNAVAILABLE' });
      await endJob(store);
      await reader.query('commit');
      assert.ok((await keep(store)).dropped > 0);
    } finally {
      await reader.end();
    }
  });

  test('that another node makes at the same moment are left to it', async () => {
    await using store = await openPostgresTestStore();
    await using other = await holdRows(store);
    const [first] = spansToMake([], { now: TEST_START, historyDays: 30, lastOfRest: null });
    assert.ok(first);
    // This node does not see it yet when it reads the partitions; it does once it gets the lock.
    await other.query('lock table ended_jobs_rest in access exclusive mode');
    const kept = keep(store);
    await other.untilSomebodyWaits();
    await other.query(`create table ended_jobs_${first.from}_${first.to} partition of ended_jobs_done
      for values from (${first.from * DAY_MS}) to (${first.to * DAY_MS})`);
    await other.query('commit');
    assert.equal((await kept).dropped, 0);
    assert.deepEqual(await keep(store), { made: 0, dropped: 0 });
  });

  test('of two nodes at once are made and dropped once', async () => {
    await using store = await openPostgresTestStore();
    const works = await Promise.all([keep(store), keep(store), keep(store)]);
    const made = works.reduce((sum, work) => sum + work.made, 0);
    await keep(store);
    assert.ok(made <= (await readSpans(store.database)).length);
    assert.deepEqual(await keep(store), { made: 0, dropped: 0 });
  });
});

function keep(store: TestStore) {
  return store.retention.keepPartitions(store.clock.now(), 30);
}

async function endJob(
  store: TestStore,
  status: 'success' | 'dead_lettered' = 'success',
  into?: { teamId: string; queue: string },
) {
  const teamId = into?.teamId ?? (await aTeam(store)).id;
  const node = await aNode(store);
  const job = await aClaimedJob(store, teamId, node, into ? { queue: into.queue } : {});
  assert.equal(await store.runs.settle(node, aSettlement(store, job, { status })), true);
  return { id: teamId, jobId: job.id };
}

async function countRows(store: TestStore, table: string): Promise<number> {
  const rows = await store.database.autocommit(
    CompiledQuery.raw(`select count(*) as number from ${table}`),
  );
  return (rows[0] as { number: number }).number;
}
