import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { change } from '#store/database/rows';
import { silentLog } from '#domain/base/log';
import type { Store } from '#store/store';
import { fillJobs, type JobFill } from '#testing/fill';
import { aQueue } from '#testing/factories';
import { forEachStore, type OpenTestStore, TEST_START } from '#testing/stores';
import { openWork } from '#testing/work';
import type { BulkKind, BulkOutcome, JobSearch } from './bulk-actions.ts';
import { createBulkRunner } from './bulk-runner.ts';
import { createJobPages } from './job-pages.ts';
import { createJobWork } from './jobs.ts';

const FAILED = { tab: 'failed' } as const;
const ANY = { tab: 'failed', resent: 'any' } as const;

/** A team with failed jobs, and what a page does with them. */
async function openFailed(
  openTestStore: OpenTestStore,
  count: number,
  more: Partial<JobFill> = {},
) {
  const { store, team, otherTeam, ...fixture } = await openWork(openTestStore);
  const { id: queueId } = await aQueue(store, team.id);
  const job = { team_id: team.id, queue_id: queueId, status: 'dead_lettered', reason: 'timeout' };
  const failed = { ...job, completed_at: TEST_START - 1000, ...more };
  const jobs = Array.from({ length: count }, () => failed);
  const ids = await fillJobs(store, jobs);
  const pages = createJobPages(store);
  const [teamId, otherTeamId] = [team.id, otherTeam.id];
  type Answers = Parameters<typeof pages.startBulk>[3];
  return {
    ...fixture,
    store,
    pages,
    job,
    ids,
    teamId,
    otherTeamId,
    runOpen: () => createBulkRunner({ store, log: silentLog }).runOpen(),
    start: (kind: BulkKind, search: JobSearch, answers?: Answers) =>
      pages.startBulk(teamId, kind, search, answers),
    act: (kind: BulkKind, chosen: readonly string[], answers?: Answers) =>
      pages.actOnJobs(teamId, kind, chosen, answers),
    tasks: () => pages.listBulkTasks(teamId),
    /** The number of failed, resent and pending jobs. */
    counts: async () => {
      const { failed, resent, pending } = await pages.countTabs(teamId);
      return [failed.count, resent.count, pending.count];
    },
    dueTimes: async () => {
      const times: number[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const options = { limit: 200, ...(cursor !== '' && { cursor }) };
        const page = await pages.searchJobs(teamId, { tab: 'pending' }, options);
        times.push(...page.rows.map(({ at }) => at));
        cursor = page.next;
      }
      return times;
    },
  };
}

const done = (count: number, skipped = 0): BulkOutcome => ({ kind: 'done', done: count, skipped });
const timesFrom = (from: number, count: number, stepMs: number) =>
  Array.from({ length: count }, (_, n) => from + n * stepMs);

forEachStore((_, openTestStore, once) => {
  describe('bulk actions', () => {
    once('an action on a few jobs is done at once and listed', async () => {
      await using bulk = await openFailed(openTestStore, 200);
      const { start, counts, tasks } = bulk;
      assert.deepEqual(await start('retry', FAILED), done(200));
      assert.deepEqual(await counts(), [0, 200, 200]);
      const listed = (await tasks()).map((task) => [task.kind, task.state, task.done]);
      assert.deepEqual(listed, [['retry', 'done', 200]]);
    });

    test('a retry is spread at a rate, once the time of its last job was seen', async () => {
      await using bulk = await openFailed(openTestStore, 150);
      const { store, start, counts, dueTimes, tasks } = bulk;
      const rate = { count: 10, per: 'minute' } as const;
      const asked = await start('retry', FAILED, { rate });
      assert.ok(asked.kind === 'asks');
      const now = store.clock.now();
      const endsAt = now + 149 * 6_000;
      assert.deepEqual(asked.question.spread, { rate, endsAt });
      assert.deepEqual(asked.question.total, { count: 150, isMore: false });
      assert.deepEqual(await counts(), [150, 0, 0], 'nothing was done so far');
      assert.deepEqual(await start('retry', FAILED, { rate, isTimed: true }), done(150));
      assert.deepEqual(await dueTimes(), timesFrom(now, 150, 6_000));
      const [task] = await tasks();
      assert.deepEqual([task?.rate, task?.endsAt], [rate, endsAt]);
    });

    once('a retry of jobs that were chosen by hand is spread, too', async () => {
      await using bulk = await openFailed(openTestStore, 4);
      const { store, act, ids } = bulk;
      const rate = { count: 10, per: 'minute' } as const;
      const chosen = ids.slice(0, 3);
      const asked = await act('retry', chosen, { rate });
      assert.ok(asked.kind === 'asks');
      assert.deepEqual(asked.question.spread, { rate, endsAt: store.clock.now() + 12_000 });
      const answers = { rate, isTimed: true };
      assert.deepEqual(await act('retry', chosen, answers), done(3));
      const again = await act('retry', ids, answers);
      assert.ok(again.kind === 'asks', 'some were resent meanwhile');
      assert.deepEqual([again.question.resent?.count, again.question.spread?.rate], [3, rate]);
    });

    test('a retry of many is spread batch after batch, and goes on where it was stopped', async () => {
      await using bulk = await openFailed(openTestStore, 350);
      const { store, start, runOpen, dueTimes, tasks } = bulk;
      const rate = { count: 1, per: 'second' } as const;
      const now = store.clock.now();
      assert.equal((await start('retry', FAILED, { rate, isTimed: true })).kind, 'started');
      assert.equal((await tasks())[0]?.endsAt, now + 349_000);
      const stopped = createBulkRunner({ store, log: silentLog, pauseMs: 0 });
      stopped.start();
      await stopped.stop();
      await store.testClock.advance(5_000);
      await runOpen();
      const due = await dueTimes();
      assert.equal(due.length, 350);
      assert.deepEqual(due.slice(100), timesFrom(now + 100_000, 250, 1_000));
      const [ended] = await tasks();
      assert.deepEqual([ended?.done, ended?.endsAt], [350, now + 349_000]);
    });

    test('a retry to another URL replaces the target of many jobs and keeps their queries', async () => {
      const target = 'https://old.example/hook';
      await using bulk = await openFailed(openTestStore, 250, { url: `${target}?n=1` });
      const { pages, start, counts, teamId, runOpen } = bulk;
      const search = { tab: 'failed', target } as const;
      const sendTo = 'https://new.example/hook';
      for (const wrong of ['nowhere', 'https://new.example/?m=2', 'https://new.example/#top'])
        assert.equal((await start('retry', search, { sendTo: wrong })).kind, 'refused', wrong);
      const { kind } = await start('retry', FAILED, { sendTo });
      assert.equal(kind, 'refused', 'the jobs have several targets');
      assert.equal((await start('retry', search, { sendTo })).kind, 'started');
      await runOpen();
      const { rows } = await pages.searchJobs(teamId, { tab: 'pending' }, { limit: 200 });
      assert.deepEqual(await counts(), [0, 250, 250]);
      assert.deepEqual(new Set(rows.map(({ url }) => url)), new Set([`${sendTo}?n=1`]));
    });

    once('jobs beyond 24 hours of a spread retry are left unchanged', async () => {
      await using bulk = await openFailed(openTestStore, 260);
      const { store, teamId, runOpen, tasks, dueTimes } = bulk;
      const total = { count: 250, isMore: true };
      const rate = { count: 10, per: 'hour' } as const;
      const task = { kind: 'retry', search: FAILED, total, rate } as const;
      assert.ok(await store.bulkTasks.create(teamId, task, store.clock.now()));
      await runOpen();
      const [ended] = await tasks();
      assert.deepEqual([ended?.done, ended?.skipped], [241, 19]);
      assert.equal((await dueTimes()).at(-1), store.clock.now() + 24 * 3_600_000);
    });

    test('a bulk retry reports the outcomes of its own jobs', async () => {
      await using bulk = await openFailed(openTestStore, 3);
      const { store, act, tasks, teamId, ids } = bulk;
      await act('retry', ids.slice(0, 1));
      await store.testClock.advance(1);
      await act('retry', ids.slice(1));
      const outcomes = async () => {
        const { count, underWay, succeeded, gone } = (await tasks())[0]?.resent ?? {};
        return { count, underWay, succeeded, gone };
      };
      assert.deepEqual(await outcomes(), { count: 2, underWay: 2, succeeded: 0, gone: 0 });
      const gone = (await store.jobs.find(teamId, ids[1] ?? ''))?.retriedAs ?? '';
      await act('delete', [gone]);
      assert.deepEqual(await outcomes(), { count: 2, underWay: 1, succeeded: 0, gone: 1 });
    });

    once('a retry that can’t be written down sends nothing', async () => {
      await using bulk = await openFailed(openTestStore, 2);
      const { store, act, counts, teamId, ids } = bulk;
      const rename = (from: string, to: string) =>
        store.database.autocommit(`alter table ${from} rename to ${to}`);
      await rename('bulk_tasks', 'out_of_reach');
      await assert.rejects(act('retry', ids));
      await assert.rejects(createJobWork(store).retryJob(teamId, ids[0] ?? ''));
      await rename('out_of_reach', 'bulk_tasks');
      assert.deepEqual(await counts(), [2, 0, 0]);
    });

    once('an action on all that match acts as of when the page was read', async () => {
      await using bulk = await openFailed(openTestStore, 3);
      const { store, start, counts, teamId, ids, job } = bulk;
      const asOf = store.clock.now();
      await store.testClock.advance(1000);
      await fillJobs(store, [{ ...job, completed_at: asOf + 1 }]);
      await store.jobs.retryFailed(teamId, ids.slice(0, 1));
      assert.deepEqual(await start('retry', FAILED, { asOf }), done(2));
      const again = await start('retry', ANY, { asOf, resent: 'again' });
      assert.deepEqual(again, done(0, 3), 'resent since');
      assert.deepEqual(await start('delete', ANY, { asOf }), done(3));
      assert.equal((await counts())[0], 1, 'failed after the page');
      assert.deepEqual(await start('delete', { tab: 'pending' }, { asOf }), done(0));
    });

    once('a search that shows resent jobs retries them only if that was confirmed', async () => {
      await using bulk = await openFailed(openTestStore, 5);
      const { store, start, act, counts, ids } = bulk;
      await act('retry', ids.slice(0, 2));
      await store.testClock.advance(1);
      const only = { tab: 'failed', resent: 'only' } as const;
      const asked = await start('retry', ANY);
      assert.ok(asked.kind === 'asks');
      assert.deepEqual([asked.question.total.count, asked.question.resent?.count], [5, 2]);
      assert.deepEqual(await start('retry', only, { resent: 'leave' }), done(0));
      assert.deepEqual(await counts(), [3, 2, 2], 'nothing was sent so far');
      assert.deepEqual(await start('retry', ANY, { resent: 'leave' }), done(3));
      await store.testClock.advance(1);
      assert.deepEqual(await start('retry', ANY, { resent: 'again' }), done(5));
    });

    once('a task over resent jobs sends each once more, but none resent since', async () => {
      await using bulk = await openFailed(openTestStore, 300);
      const { store, start, counts, tasks, teamId, ids, runOpen } = bulk;
      await store.jobs.retryFailed(teamId, ids.slice(0, 200));
      await store.testClock.advance(1000);
      const answers = { resent: 'again', asOf: store.clock.now() } as const;
      await store.testClock.advance(1000);
      // A double click: both are asked for as of the same page.
      for (let n = 0; n < 2; n++)
        assert.equal((await start('retry', ANY, answers)).kind, 'started');
      await runOpen();
      assert.equal((await counts())[2], 200 + 300);
      const all = await tasks();
      assert.deepEqual(new Set(all.map((task) => task.done)), new Set([0, 300]));
    });

    test('an action on many jobs becomes a task that does each job once', async () => {
      await using bulk = await openFailed(openTestStore, 450);
      const { store, start, counts, tasks, job, runOpen } = bulk;
      await store.testClock.advance(1000);
      const outcome = await start('retry', { tab: 'failed', reason: 'timeout' });
      assert.ok(outcome.kind === 'started');
      assert.deepEqual(outcome.task.total, { count: 450, isMore: false });
      await store.testClock.advance(1000);
      await fillJobs(store, [{ ...job, completed_at: TEST_START + 2000 }]);
      await runOpen();
      const [task] = await tasks();
      assert.deepEqual([task?.state, task?.done, task?.skipped], ['done', 450, 0]);
      assert.deepEqual(await counts(), [1, 450, 450], 'not what arrived later');
    });

    once('a task that was cut short goes on, and retries nothing twice', async () => {
      await using bulk = await openFailed(openTestStore, 300);
      const { store, start, counts, tasks, teamId, ids } = bulk;
      await store.testClock.advance(1000);
      assert.equal((await start('retry', FAILED)).kind, 'started');
      // Another node claimed it, retried some jobs, and died before it wrote its progress.
      const node = '018f0000-0000-7000-8000-000000000001';
      await store.bulkTasks.claim(node, store.clock.now(), 30_000);
      await store.testClock.advance(10);
      await store.jobs.retryFailed(teamId, ids.slice(0, 100));
      const runner = createBulkRunner({ store, log: silentLog });
      await runner.runOpen();
      assert.equal((await tasks())[0]?.done, 0, 'still claimed');
      await store.testClock.advance(30_000);
      await runner.runOpen();
      assert.equal((await tasks())[0]?.state, 'done');
      assert.equal((await counts())[2], 300);
    });

    once('a runner that cannot release its task stops all the same, and logs it', async () => {
      await using bulk = await openFailed(openTestStore, 300);
      const { store, start } = bulk;
      assert.equal((await start('retry', FAILED)).kind, 'started');
      const warnings: string[] = [];
      const log = { ...silentLog, warn: (event: string) => warnings.push(event) };
      const bulkTasks: Store['bulkTasks'] = {
        ...store.bulkTasks,
        advance: async (task, workerId, step) => {
          if (step.claimedUntil === 0) throw new Error('the database is away');
          return store.bulkTasks.advance(task, workerId, step);
        },
      };
      const runner = createBulkRunner({ store: { ...store, bulkTasks }, log });
      runner.start();
      await runner.stop();
      assert.deepEqual(warnings, ['bulk.failed']);
    });

    once('a task that can no longer be read touches no job, and those behind it go', async () => {
      await using bulk = await openFailed(openTestStore, 300);
      const { store, start, counts, tasks, runOpen } = bulk;
      await start('delete', FAILED);
      await change(store.database, 'bulk_tasks', {}, { search: '{"tab":' });
      await store.testClock.advance(1000);
      await start('retry', FAILED);
      await runOpen();
      const states = (await tasks()).map((task) => `${task.kind} ${task.state} ${task.done}`);
      assert.deepEqual(states, ['retry done 300', 'delete cancelled 0']);
      assert.deepEqual(await counts(), [0, 300, 300]);
    });

    test('pending jobs are fired and deleted, a waiting retry too', async () => {
      const later = { status: 'pending', completed_at: null, reason: null };
      const due = { ...later, scheduled_at: TEST_START + 3_600_000, attempt_number: 2 };
      await using bulk = await openFailed(openTestStore, 250, due);
      const { store, pages, start, teamId, runOpen } = bulk;
      await start('fire', { tab: 'retrying' });
      await runOpen();
      const { rows: jobs } = await pages.searchJobs(teamId, { tab: 'retrying' });
      assert.ok(jobs.every(({ scheduledAt }) => scheduledAt <= store.clock.now()));
      await start('delete', { tab: 'retrying' });
      await runOpen();
      assert.equal((await pages.countTabs(teamId)).all.count, 0);
    });

    once('a bulk action of the wrong kind is rejected and changes nothing', async () => {
      await using bulk = await openFailed(openTestStore, 1);
      const { start, act, counts, ids } = bulk;
      for (const tab of ['all', 'completed', 'processing', 'pending'] as const)
        assert.equal((await start('retry', { tab })).kind, 'refused', tab);
      assert.equal((await start('delete', { tab: 'all' })).kind, 'refused');
      assert.deepEqual(await act('fire', [...ids, 'no id']), done(0, 2));
      assert.equal((await counts())[0], 1);
    });

    once("another team can neither act on jobs nor see or cancel a team's tasks", async () => {
      await using bulk = await openFailed(openTestStore, 300);
      const { pages, start, tasks, otherTeamId, ids } = bulk;
      for (const kind of ['retry', 'delete'] as const) {
        const acted = await pages.actOnJobs(otherTeamId, kind, ids.slice(0, 10));
        assert.deepEqual(acted, done(0, 10));
        assert.deepEqual(await pages.startBulk(otherTeamId, kind, FAILED), done(0));
      }
      const outcome = await start('retry', FAILED);
      assert.ok(outcome.kind === 'started');
      assert.deepEqual(await pages.listBulkTasks(otherTeamId), []);
      assert.equal(await pages.cancelBulkTask(otherTeamId, outcome.task.id), false);
      assert.equal((await tasks())[0]?.state, 'waiting');
    });

    once('a team may have only so many tasks under way', async () => {
      await using bulk = await openFailed(openTestStore, 201);
      for (let n = 0; n < 5; n++) assert.equal((await bulk.start('retry', FAILED)).kind, 'started');
      assert.equal((await bulk.start('retry', FAILED)).kind, 'refused');
    });

    test('a search with ids and texts of any shape finds nothing and breaks nothing', async () => {
      await using bulk = await openFailed(openTestStore, 1);
      const { pages, teamId } = bulk;
      const odd = ['x', "'; drop table jobs", '%', '\0', '\ud800', 'é'.repeat(3000)];
      for (const text of odd) {
        for (const field of ['queueId', 'id', 'urlPrefix', 'target', 'payloadText'] as const) {
          const page = await pages.searchJobs(teamId, { tab: 'failed', [field]: text });
          assert.deepEqual(page.rows, [], `${field} ${text.slice(0, 20)}`);
        }
      }
      const blank = { tab: 'failed', queueId: '', urlPrefix: '', from: Number.NaN } as const;
      assert.equal((await pages.searchJobs(teamId, blank, { limit: -5 })).rows.length, 1);
    });
  });
});
