import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { earliestIdAt, newId } from '#domain/ids';
import { silentLog } from '#domain/log';
import { aCron, aJob, aNode, aQueue, aTeam, claimJobs } from '#testing/factories';
import { forEachStore, TEST_START, type TestStore } from '#testing/stores';
import { ClockJumps } from '#engine/clock-jumps';
import { prepareHistory } from './history.ts';

const ENDED_AT = TEST_START - 3_600_000;

/**
 * The rows of a version before 0009: ended runs are still in the tables where they ran, with their responses in a
 * table of their own.
 */
describe('runs that an earlier version ended', () => {
  forEachStore((_name, openTestStore) => {
    test('are as before: on lists, in counts and on their pages', async () => {
      await using store = await openTestStore();
      const { teamId, jobs, cronId, runs } = await leaveBehind(store);
      await prepareHistory({
        store,
        log: silentLog,
        historyDays: 30,
        clockJumps: new ClockJumps(store.clock, silentLog),
      });
      const { lists } = store;
      const counts = await lists.countTabs(teamId, undefined);
      const countOf = (tab: keyof typeof counts) => counts[tab].count;
      assert.deepEqual(
        [countOf('all'), countOf('completed'), countOf('failed'), countOf('resent')],
        [6, 1, 1, 1],
      );
      const ids = async (tab: 'all' | 'failed' | 'completed') =>
        (await lists.listJobs(teamId, { tab }, { limit: 10 })).rows.map(({ id }) => id);
      assert.deepEqual(await ids('completed'), [jobs.success]);
      assert.deepEqual(await ids('failed'), [jobs.failed]);
      assert.equal((await ids('all')).length, 6);
      const found = await store.jobs.find(teamId, jobs.success ?? '');
      assert.equal(Buffer.from(found?.response?.body ?? []).toString(), 'it answered');
      assert.deepEqual([found?.response?.totalBytes, found?.response?.trace], [11, '{}']);
      assert.deepEqual([found?.responseStatus, found?.durationMs], [200, 7]);
      assert.equal((await store.jobs.find(teamId, jobs.failed ?? ''))?.response, null);
      const attempts = await store.jobs.listAttempts(teamId, jobs.retried ?? '');
      assert.deepEqual(
        attempts.map(({ status, attemptNumber }) => [status, attemptNumber]),
        [
          ['retried', 1],
          ['pending', 2],
        ],
      );
      const history = await lists.listRuns(teamId, { cronId }, { limit: 10, isHistory: true });
      assert.deepEqual(
        history.rows.map(({ id, status }) => [id, status]),
        [
          [runs.pending, 'pending'],
          [runs.failed, 'failed'],
          [runs.success, 'success'],
        ],
      );
      const run = await store.crons.findExecution(teamId, runs.success ?? '');
      assert.equal(Buffer.from(run?.response?.body ?? []).toString(), 'it answered');
      const prefix = { tab: 'all', urlPrefix: 'http://target.example/old' } as const;
      assert.equal((await lists.listJobs(teamId, prefix, { limit: 10 })).rows.length, 5);
      assert.deepEqual(await rowsLeft(store), []);
    });

    test('do not take along what waits or runs', async () => {
      await using store = await openTestStore();
      const { teamId } = await leaveBehind(store);
      const node = await aNode(store);
      const waiting = await aJob(store, teamId, { queue: 'other' });
      const running = await aJob(store, teamId, { queue: 'another' });
      await claimJobs(store, node, { queueIds: [running.queueId] });
      await prepareHistory({
        store,
        log: silentLog,
        historyDays: 30,
        clockJumps: new ClockJumps(store.clock, silentLog),
      });
      const statusOf = async (id: string) => (await store.jobs.find(teamId, id))?.status;
      assert.equal(await statusOf(waiting.jobId), 'pending');
      assert.equal(await statusOf(running.jobId), 'processing');
      const { claimed } = await claimJobs(store, node, { queueIds: [waiting.queueId] });
      assert.equal(claimed.length, 1);
    });

    test('can be moved bit by bit, broken off and gone on with, by several at once', async () => {
      await using store = await openTestStore();
      const { teamId } = await leaveBehind(store);
      assert.equal(await store.retention.countOlderRuns(), 6);
      assert.ok((await store.retention.moveOlderRuns(1)) > 0);
      const again = await store.reopen();
      while ((await again.retention.countOlderRuns()) > 0) {
        await Promise.all([again.retention.moveOlderRuns(2), again.retention.moveOlderRuns(2)]);
      }
      assert.equal((await again.lists.countTabs(teamId, undefined)).all.count, 6);
      assert.equal(await again.retention.moveOlderRuns(10), 0);
    });

    test('that are not there open no transaction', async () => {
      const ran: string[] = [];
      await using store = await openTestStore({ onStatement: ({ sql }) => void ran.push(sql) });
      const team = await aTeam(store);
      await aJob(store, team.id);
      ran.length = 0;
      assert.equal(await store.retention.moveOlderRuns(10), 0);
      assert.deepEqual(
        ran.map((sql) => /^\/\* ([\w-]+)/.exec(sql)?.[1]),
        ['find-first-older-jobs', 'find-first-older-executions'],
      );
    });

    test('of a deleted team go with all that was kept of them, moved or not', async () => {
      await using store = await openTestStore();
      const { teamId } = await leaveBehind(store);
      await store.database.transact((trx) =>
        trx.updateTable('teams').set({ deleted_at: 1 }).where('id', '=', teamId).execute(),
      );
      const asked = { now: TEST_START, historyDays: 30, limit: 100 };
      while ((await store.retention.deleteSome('ofDeletedTeams', asked)) > 0);
      assert.deepEqual(await rowsLeft(store), []);
      assert.equal(await store.teams.find(teamId), null);
    });

    test('of a deleted cron leave no response behind', async () => {
      await using store = await openTestStore();
      const { teamId, cronId, runs } = await leaveBehind(store);
      assert.equal(await store.crons.delete(teamId, cronId), true);
      while ((await store.retention.moveOlderRuns(10)) > 0);
      await store.retention.sweepOrphans(10);
      assert.deepEqual(await rowsLeft(store), []);
      assert.equal(await store.crons.findExecution(teamId, runs.success), null);
    });

    test('of a time of the schedule that a node of that version ran once more stop nothing', async () => {
      await using store = await openTestStore();
      const { teamId, cronId, runs } = await leaveBehind(store);
      await prepareHistory({
        store,
        log: silentLog,
        historyDays: 30,
        clockJumps: new ClockJumps(store.clock, silentLog),
      });
      const row = (await store.crons.findExecution(teamId, runs.success)) ?? assert.fail();
      const again = newId(TEST_START);
      await insertRow(store, 'executions', {
        team_id: teamId,
        id: again,
        cron_id: cronId,
        scheduled_for: row.scheduledFor,
        status: 'success',
        created_at: TEST_START,
        completed_at: TEST_START,
      });
      assert.equal(await store.retention.moveOlderRuns(10), 1);
      assert.deepEqual(await rowsLeft(store), []);
      assert.equal((await store.crons.findExecution(teamId, again))?.status, 'success');
      assert.equal((await store.crons.findExecution(teamId, runs.success))?.status, 'success');
    });

    test('can be retried and deleted afterwards, and expire', async () => {
      await using store = await openTestStore();
      const { teamId, jobs } = await leaveBehind(store);
      await prepareHistory({
        store,
        log: silentLog,
        historyDays: 30,
        clockJumps: new ClockJumps(store.clock, silentLog),
      });
      const [retried] = await store.jobs.retryFailed(teamId, [jobs.failed ?? '']);
      const made = await store.jobs.find(teamId, retried?.id ?? '');
      assert.deepEqual([made?.payload, made?.url], ['{"n":1}', 'http://target.example/old']);
      assert.deepEqual(await store.jobs.deleteFailed(teamId, [jobs.failed ?? '']), [jobs.failed]);
      const now = TEST_START + 60 * 86_400_000;
      await store.retention.keepPartitions(now, { historyDays: 30 });
      for (const kind of ['deadLetters', 'jobs', 'executions'] as const) {
        await store.retention.deleteSome(kind, { now, historyDays: 30, limit: 100 });
      }
      assert.equal(await store.jobs.find(teamId, jobs.success ?? ''), null);
      assert.equal(await store.jobs.find(teamId, jobs.resent ?? ''), null);
    });
  });
});

type Columns = Record<string, string | number | null>;

async function insertRow(store: TestStore, table: string, row: Columns): Promise<void> {
  const names = Object.keys(row);
  const values = names.map((_, n) => (store.dialect === 'postgres' ? `$${n + 1}` : '?'));
  const text = `insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`;
  await store.database.autocommit(CompiledQuery.raw(text, Object.values(row)));
}

/** Inserts rows as such a version wrote them. */
async function leaveBehind(store: TestStore) {
  const { id: teamId } = await aTeam(store);
  const { id: queueId } = await aQueue(store, teamId);
  const { id: cronId } = await aCron(store, teamId);
  const answer = async (runId: string) => {
    const body =
      store.dialect === 'postgres'
        ? `convert_to('it answered', 'UTF8')`
        : `cast('it answered' as blob)`;
    await store.database.autocommit(
      CompiledQuery.raw(`insert into responses (team_id, run_id, total_bytes, trace, body)
        values ('${teamId}', '${runId}', 11, '{}', ${body})`),
    );
  };
  let n = 0;
  const job = async (status: string, columns: Columns = {}) => {
    n++;
    const id = newId(ENDED_AT + n);
    const end = { started_at: ENDED_AT, completed_at: ENDED_AT + n, duration_ms: 7 };
    await insertRow(store, 'jobs', {
      team_id: teamId,
      id,
      original_id: id,
      attempt_number: 1,
      queue_id: queueId,
      status,
      method: 'POST',
      url: 'http://target.example/old',
      created_at: ENDED_AT,
      scheduled_at: ENDED_AT,
      payload: '{"n":1}',
      ...(status === 'pending' ? {} : end),
      ...columns,
    });
    return id;
  };
  const success = await job('success', { response_status: 200 });
  await answer(success);
  const retried = await job('retried', { reason: 'http_error', response_status: 500 });
  await answer(retried);
  await job('pending', { original_id: retried, attempt_number: 2 });
  const failed = await job('failed', { reason: 'timeout' });
  const { jobId: retriedAs } = await aJob(store, teamId, { delaySeconds: 3600 });
  const resent = await job('dead_lettered', { reason: 'timeout', retried_as: retriedAs });
  const run = async (status: string, minute: number, columns: Columns) => {
    const id = earliestIdAt(ENDED_AT + minute * 60_000);
    const row = { team_id: teamId, id, cron_id: cronId, status, created_at: ENDED_AT };
    await insertRow(store, 'executions', { ...row, ...columns });
    return id;
  };
  const end = { started_at: ENDED_AT, completed_at: ENDED_AT, duration_ms: 5 };
  const runs = {
    success: await run('success', 1, { ...end, scheduled_for: ENDED_AT, response_status: 200 }),
    failed: await run('failed', 2, { ...end, reason: 'timeout' }),
    pending: await run('pending', 3, {}),
  };
  await answer(runs.success);
  return { teamId, cronId, runs, jobs: { success, retried, failed, resent } };
}

async function rowsLeft(store: TestStore): Promise<unknown[]> {
  const text = `select id from jobs where completed_at is not null
    union all select id from executions where completed_at is not null
    union all select run_id from responses`;
  return store.database.autocommit(CompiledQuery.raw(text));
}

describe('a start by a clock that is a year ahead', () => {
  forEachStore((name, openTestStore) => {
    test('drops no history, and neither does the next', async () => {
      await using store = await openTestStore();
      const prepare = async () => {
        const clockJumps = new ClockJumps(store.clock, silentLog);
        await prepareHistory({ store, log: silentLog, historyDays: 30, clockJumps });
        return clockJumps.isHeld();
      };
      assert.equal(await prepare(), false);
      await store.depths.look(store.clock.now());
      const before = await countPartitions(store);
      assert.equal(before > 0, name === 'postgres');
      store.testClock.jumpTo(store.clock.now() + 365 * 86_400_000);
      for (let start = 0; start < 3; start++) {
        assert.equal(await prepare(), true);
        assert.equal(await countPartitions(store), before);
        await store.depths.look(store.clock.now());
        await store.testClock.advance(15 * 60_000);
      }
      await store.testClock.advance(60 * 60_000);
      assert.equal(await prepare(), false);
    });
  });
});

async function countPartitions(store: TestStore): Promise<number> {
  if (store.dialect === 'sqlite') return 0;
  const found = await store.database.autocommit(
    CompiledQuery.raw(`select 1 from pg_inherits where inhparent = 'ended_jobs'::regclass`),
  );
  return found.length;
}
