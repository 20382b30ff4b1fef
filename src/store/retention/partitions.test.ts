import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { DAY_MS } from '#domain/base/instant';
import type { EndedJobStatus } from '#domain/runs/run-status';
import { ask, countRows } from '#testing/ask';
import { holdRows } from '#testing/holder';
import { aClaimedJob, aNode, aQueue, aSettlement, aTeam } from '#testing/factories';
import { openPostgresTestStore, postgresUrl, TEST_START, type TestStore } from '#testing/stores';
import { sql } from '../database/sql.ts';
import { FAILED_ATTEMPTS } from '../runs/status-lists.ts';
import { coveredMs, readSpans, spansToMake } from './partitions.ts';

describe('the partitions of a history', () => {
  test('partitions cover the history and some time ahead without gaps or overlaps', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4_000 * DAY_MS, max: 30_000 * DAY_MS }),
        fc.integer({ min: 1, max: 3650 }),
        fc.integer({ min: 1, max: 3650 }),
        fc.integer({ min: 0, max: 400 }),
        (now, before, historyDays, daysLater) => {
          const first = spansToMake([], { now, historyDays: before, lastOfRest: null });
          assert.ok(first.length <= 12, `${before} days`);
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

  test('new partitions begin the day after the last job without a partition', () => {
    const now = 1000 * DAY_MS + 5;
    const spans = spansToMake([], { now, historyDays: 30, lastOfRest: now - 1 });
    assert.deepEqual(spans[0], { from: 1001, to: 1006 });
  });

  test('coverage ends at the first gap between partitions', () => {
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
});

describe('partitions on Postgres', () => {
  test('partitions by time have successes only; failed attempts have their own partition', async () => {
    await using store = await openPostgresTestStore();
    await keep(store);
    const partitioned = await ask(
      store,
      `select relname from pg_class where relkind = 'p'
        and relnamespace = current_schema()::regnamespace`,
    );
    assert.deepEqual(partitioned, [{ relname: 'ended_jobs' }]);
    for (const status of ['retried', 'failed', 'dead_lettered'] as const)
      await endJob(store, status);
    assert.equal(await countRows(store, 'ended_jobs_unsuccessful'), 3);
    await endJob(store);
    assert.equal(await countRows(store, 'ended_jobs'), 4);
    assert.equal(await countRows(store, 'ended_jobs_unsuccessful'), 3);
    assert.equal(await countRows(store, 'ended_jobs_rest'), 0);
  });

  test('a search by time or failures skips partitions of other times', async () => {
    await using store = await openPostgresTestStore();
    await keep(store);
    const at = store.clock.now();
    const today = Math.floor(at / DAY_MS);
    const spans = await store.database.read(readSpans);
    const span = spans.find(({ from, to }) => from <= today && today < to);
    const client = new pg.Client({ connectionString: postgresUrl(store) });
    await client.connect();
    const within = store.database.dialect.endedWithin('jobs', { from: at, to: at });
    const search = sql`select id from ended_jobs jobs where ${within}`;
    const searches: [text: string, values: readonly unknown[], tables: string[]][] = [
      [
        search.textFor(store.database.dialect),
        search.values,
        [`ended_jobs_${span?.from}_${span?.to}`],
      ],
      [`select id from ended_jobs where status in ${FAILED_ATTEMPTS}`, [], []],
    ];
    try {
      for (const mode of ['force_generic_plan', 'force_custom_plan']) {
        await client.query(`set plan_cache_mode = ${mode}`);
        for (const [n, [search, values, tables]] of searches.entries()) {
          const types = values.length === 0 ? '' : `(${values.map(() => 'bigint').join()})`;
          const given = values.length === 0 ? '' : `(${values.join()})`;
          await client.query(`prepare search_${n}${types} as ${search}`);
          const plan = await client.query<{ 'QUERY PLAN': string }>(
            `explain (costs off) execute search_${n}${given}`,
          );
          const lines = plan.rows.map((row) => row['QUERY PLAN']);
          const dated = lines.flatMap((line) => / on (ended_jobs_\d+_\d+)\b/.exec(line)?.[1] ?? []);
          assert.deepEqual(dated, tables, `${mode}: ${search}\n${lines.join('\n')}`);
        }
        await client.query('deallocate all');
      }
    } finally {
      await client.end();
    }
  });

  test('dropping partitions of the shorter history of successes keeps other jobs', async () => {
    await using store = await openPostgresTestStore();
    await keep(store);
    const { id: teamId, jobId } = await endJob(store);
    await aQueue(store, teamId, { name: 'kept', deadLetterDays: 365 });
    const dead = await endJob(store, 'dead_lettered', { teamId, queue: 'kept' });
    const failed = await endJob(store, 'failed', { teamId, queue: 'kept' });
    const before = await store.database.read(readSpans);
    await store.testClock.advance(12 * DAY_MS);
    const days = { historyDays: 30, successHistoryDays: 6 };
    const work = await store.retention.keepPartitions(store.clock.now(), days);
    assert.ok(work.dropped > 0);
    assert.equal(await store.jobs.find(teamId, jobId), null);
    assert.equal((await store.jobs.find(teamId, failed.jobId))?.status, 'failed');
    assert.equal((await store.jobs.retryFailed(teamId, [dead.jobId])).length, 1);
    await store.testClock.advance(40 * DAY_MS);
    const later = await keep(store);
    assert.ok(later.dropped > 0 && later.made > 0);
    const after = await store.database.read(readSpans);
    assert.ok(after.length <= before.length + 1);
  });

  test('partitions of a longer history lose expired rows one by one', async () => {
    await using store = await openPostgresTestStore();
    // Partitions for a long history, made a month ago: so the one that the job goes into would be kept for another
    // month.
    await store.retention.keepPartitions(store.clock.now() - 30 * DAY_MS, { historyDays: 365 });
    const { id: teamId, jobId } = await endJob(store);
    const tidy = async () => {
      const now = store.clock.now();
      await store.retention.keepPartitions(now, { historyDays: 7 });
      return store.retention.deleteSome('jobs', { now, historyDays: 7, limit: 10 });
    };
    await store.testClock.advance(9 * DAY_MS - 1);
    assert.equal(await tidy(), 0);
    await store.testClock.advance(1);
    assert.equal(await tidy(), 1);
    assert.equal(await store.jobs.find(teamId, jobId), null);
  });

  test('a partition that is being read is dropped at the next try', async () => {
    await using store = await openPostgresTestStore();
    await keep(store);
    await endJob(store);
    await using reader = await holdRows(store);
    await reader.query('select count(*) from ended_jobs');
    await store.testClock.advance(40 * DAY_MS);
    await assert.rejects(keep(store), { code: 'STORE_UNAVAILABLE' });
    await endJob(store);
    await reader.query('commit');
    assert.ok((await keep(store)).dropped > 0);
  });

  test('partitions that another node is making are left to it', async () => {
    await using store = await openPostgresTestStore();
    await using other = await holdRows(store);
    const [first] = spansToMake([], { now: TEST_START, historyDays: 30, lastOfRest: null });
    assert.ok(first);
    // This node does not see it yet when it reads the partitions; it does once it gets the lock.
    await other.query('lock table ended_jobs_rest in access exclusive mode');
    const kept = keep(store);
    await other.untilSomebodyWaits();
    await other.query(`create table ended_jobs_${first.from}_${first.to} partition of ended_jobs
      for values from ('success', ${first.from * DAY_MS}) to ('success', ${first.to * DAY_MS})`);
    await other.query('commit');
    assert.equal((await kept).dropped, 0);
    assert.deepEqual(await keep(store), { made: 0, dropped: 0 });
  });
});

function keep(store: TestStore) {
  return store.retention.keepPartitions(store.clock.now(), { historyDays: 30 });
}

async function endJob(
  store: TestStore,
  status: EndedJobStatus = 'success',
  into?: { teamId: string; queue: string },
) {
  const teamId = into?.teamId ?? (await aTeam(store)).id;
  const node = await aNode(store);
  const job = await aClaimedJob(store, teamId, node, into ? { queue: into.queue } : {});
  assert.equal(await store.runs.settle(node, aSettlement(store, job, { status })), true);
  return { id: teamId, jobId: job.id };
}
