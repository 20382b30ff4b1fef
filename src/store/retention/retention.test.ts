import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, test } from 'node:test';
import { newId } from '#domain/base/ids';
import { DAY_MS } from '#domain/base/instant';
import { ask, countRows } from '#testing/ask';
import {
  aCron,
  aDeadLetter,
  aClaimedJob,
  aJob,
  aNode,
  aQueue,
  aSettlement,
  aTeam,
  aUser,
  runCron,
} from '#testing/factories';
import type { EndedExecutionStatus } from '#domain/runs/run-status';
import { pluck } from '#testing/pluck';
import { forEachStore } from '#testing/stores';
import { type Expiring, TABLES_OF_TEAM } from './retention.ts';
import type { Store } from '../store.ts';
import type { Tables } from '../tables/tables.ts';
import { add, change, remove } from '../database/rows.ts';

const KEEP = { historyDays: 30, limit: 100 };
const ACTIVITY = { actor: 'Command line', action: 'team.plan' };
const COUNT = { outcome: 'success', runs: 1 };
const NOTHING = { deadLetters: 0, jobs: 0, executions: 0, orphans: 0, ofDeletedTeams: 0 };

describe('retention', () => {
  forEachStore((name, openTestStore) => {
    test('a dead letter is deleted after its queue’s days and not before', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      await aQueue(store, team.id, { name: 'short', deadLetterDays: 3 });
      const node = await aNode(store);
      const short = await aDeadLetter(store, team.id, node, { queue: 'short' });
      const usual = await aDeadLetter(store, team.id, node);
      await store.testClock.advance(3 * DAY_MS - 1);
      assert.deepEqual(await expire(store), NOTHING);
      await store.testClock.advance(1);
      assert.deepEqual(await expire(store), { ...NOTHING, deadLetters: 1 });
      assert.equal(await store.jobs.find(team.id, short.id), null);
      assert.notEqual((await store.jobs.find(team.id, usual.id))?.response, null);
      await store.testClock.advance(11 * DAY_MS);
      assert.deepEqual(await expire(store), { ...NOTHING, deadLetters: 1 });
    });

    test('successes go before other ended runs, in steps; waiting and running jobs stay', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      await aQueue(store, team.id, { deadLetterDays: 365 });
      for (const status of ['success', 'retried', 'failed', 'dead_lettered'] as const) {
        const job = await aClaimedJob(store, team.id, node);
        await store.runs.settle(node, aSettlement(store, job, { status }));
      }
      await aClaimedJob(store, team.id, node);
      await aJob(store, team.id);
      const good = await anEndedExecution(store, team.id);
      const failed = await anEndedExecution(store, team.id, 'failed');
      const deleteOld = async () => {
        const asked = { ...KEEP, successHistoryDays: 7, limit: 1, now: store.clock.now() };
        const jobs = await store.retention.deleteSome('jobs', asked);
        return [jobs, await store.retention.deleteSome('executions', asked)];
      };
      const listRuns = async ({ id }: { id: string }) =>
        (await store.crons.listExecutions(team.id, id, 10)).length;
      await store.testClock.advance(7 * DAY_MS - 1);
      assert.deepEqual(await deleteOld(), [0, 0]);
      await store.testClock.advance(1);
      assert.deepEqual(await deleteOld(), [1, 1]);
      assert.deepEqual(await deleteOld(), [0, 0]);
      assert.deepEqual([await listRuns(good), await listRuns(failed)], [0, 1]);
      await store.testClock.advance(23 * DAY_MS - 1);
      assert.deepEqual(await deleteOld(), [0, 0]);
      await store.testClock.advance(1);
      assert.deepEqual(await deleteOld(), [1, 1]);
      assert.deepEqual(await deleteOld(), [1, 0]);
      assert.deepEqual(await deleteOld(), [0, 0]);
      const left = await store.jobs.list(team.id, { limit: 10 });
      assert.deepEqual(left.map(({ status }) => status).toSorted(), [
        'dead_lettered',
        'pending',
        'processing',
      ]);
      assert.notEqual(await store.crons.find(team.id, failed.id), null);
    });

    test('rows that have an age are deleted in steps', async () => {
      await using store = await openTestStore();
      const { id: team_id } = await aTeam(store);
      const { userId: user_id } = await aUser(store, 'ada@bells.test');
      const now = store.clock.now();
      const kinds: [Expiring, number, keyof Tables, (at: number) => object][] = [
        ['activity', 400, 'activity', (at) => ({ ...ACTIVITY, team_id, id: newId(1), at })],
        ['outcomes', 31, 'outcome_hours', (hour) => ({ ...COUNT, team_id, hour })],
        [
          'sessions',
          0,
          'sessions',
          (expires_at) => ({
            created_at: 1,
            user_id,
            id: newId(1),
            token_hash: newId(1),
            expires_at,
          }),
        ],
      ];
      for (const [kind, days, table, rowAt] of kinds) {
        const end = now - days * DAY_MS;
        await add(store.database, table, [end - 2, end - 1, end].map(rowAt) as never);
        const gone = [];
        for (let n = 0; n < 3; n++)
          gone.push(await store.retention.deleteSome(kind, { ...KEEP, now, limit: 1 }));
        assert.deepEqual([gone, await countRows(store, table)], [[1, 1, 0], 1], kind);
      }
    });

    test('a queue is deleted with all its jobs and nothing of another queue', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const { queueId } = await aDeadLetter(store, team.id, node);
      const running = await aClaimedJob(store, team.id, node);
      await Promise.all(Array.from({ length: 1100 }, () => aJob(store, team.id)));
      const other = await aJob(store, team.id, { queue: 'other' });
      assert.equal(await store.queues.delete(team.id, queueId), 1102);
      assert.equal(await store.queues.delete(team.id, queueId), null);
      assert.equal(await countRows(store, 'jobs'), 1);
      assert.notEqual(await store.jobs.find(team.id, other.jobId), null);
      assert.equal(await store.runs.settle(node, aSettlement(store, running)), false);
    });

    test('rows left by an interrupted deletion are swept', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const { queueId } = await aDeadLetter(store, team.id, node);
      await aJob(store, team.id);
      await aJob(store, team.id, { queue: 'kept' });
      const cron = await anEndedExecution(store, team.id);
      const kept = await anEndedExecution(store, team.id);
      await remove(store.database, 'queues', { id: queueId });
      await remove(store.database, 'crons', { id: cron.id });
      const sweep = (limit: number) =>
        store.retention.deleteSome('orphans', { now: store.clock.now(), historyDays: 30, limit });
      assert.equal(await sweep(2), 2);
      assert.equal(await sweep(100), 1);
      assert.equal(await sweep(100), 0);
      assert.deepEqual(pluck(await store.jobs.list(team.id, { limit: 10 }), 'queue'), ['kept']);
      assert.equal((await store.crons.listExecutions(team.id, kept.id, 10)).length, 1);
      assert.equal(await countRows(store, 'ended_executions'), 1);
    });

    test('a deleted team leaves nothing, in small steps, and no other team loses anything', async () => {
      await using store = await openTestStore();
      const [gone, kept] = [await aTeam(store), await aTeam(store)];
      const node = await aNode(store);
      for (const team of [gone, kept]) {
        await aDeadLetter(store, team.id, node);
        await anEndedExecution(store, team.id);
      }
      const countAll = () =>
        Promise.all(TABLES_OF_TEAM.concat('teams').map((table) => countRows(store, table)));
      const before = await countAll();
      await change(store.database, 'teams', { id: gone.id }, { deleted_at: store.clock.now() });
      let rounds = 0;
      while ((await expire(store, 3)).ofDeletedTeams > 0) rounds++;
      assert.ok(rounds > 2);
      assert.deepEqual(
        await countAll(),
        before.map((count) => count / 2),
      );
    });

    if (name === 'sqlite') {
      test('the deletion of teams covers every table with rows of teams', async () => {
        await using store = await openTestStore();
        const known: readonly string[] = TABLES_OF_TEAM;
        assert.deepEqual((await listTablesOfTeams(store)).toSorted(), known.toSorted());
      });

      test('freed pages are returned to the file system in steps, and the file shrinks on the disk', async () => {
        await using store = await openTestStore();
        const file = store.location.kind === 'sqlite' ? store.location.path : '';
        const team = await aTeam(store);
        const payload = JSON.stringify('x'.repeat(500_000));
        const { queueId } = await aJob(store, team.id, { payload });
        for (let n = 0; n < 19; n++) await aJob(store, team.id, { payload });
        await ask(store, 'pragma wal_checkpoint(passive)');
        const full = fs.statSync(file).size;
        assert.ok(full > 10_000_000, `${full}`);
        const pages = await countPages(store);
        await store.queues.delete(team.id, queueId);
        assert.equal(await countPages(store), pages);
        const free = await store.retention.giveBackPages(10);
        assert.equal(await countPages(store), pages - 10);
        while ((await store.retention.giveBackPages(500)) > 0);
        assert.ok((await countPages(store)) <= pages - 10 - free);
        const left = fs.statSync(file).size;
        assert.ok(left < full / 4, `${left} of ${full}`);
      });
    }
  });
});

/** Runs one step of each kind of `NOTHING`. */
async function expire(store: Store, limit = KEEP.limit) {
  const gone = { ...NOTHING };
  for (const kind of Object.keys(NOTHING) as (keyof typeof NOTHING)[]) {
    const asked = { ...KEEP, limit, now: store.clock.now() };
    gone[kind] = await store.retention.deleteSome(kind, asked);
  }
  return gone;
}

async function anEndedExecution(
  store: Store,
  teamId: string,
  status: EndedExecutionStatus = 'success',
) {
  const cron = await aCron(store, teamId);
  const response = { body: Buffer.from('yes'), totalBytes: 3, trace: '{}' };
  await runCron(store, await aNode(store), cron, { response, status });
  return cron;
}

/** The tables with a column `team_id`, but for those whose rows go with the team's row. */
async function listTablesOfTeams(store: Store): Promise<string[]> {
  const rows = await ask<{ name: string }>(
    store,
    `select m.name as name from sqlite_schema m join pragma_table_info(m.name) c
      where m.type = 'table' and c.name = 'team_id'
        and not exists (select 1 from pragma_foreign_key_list(m.name) f
          where f."table" = 'teams' and f."from" = 'team_id' and f.on_delete = 'CASCADE')`,
  );
  return rows.map(({ name }) => name);
}

async function countPages(store: Store): Promise<number> {
  const [row] = await ask<{ page_count: number }>(store, 'pragma page_count');
  return row?.page_count ?? -1;
}
