import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { change } from '#store/database/rows';
import { silentLog } from '#domain/base/log';
import type { Store } from '#store/store';
import { fillJobs, type JobFill } from '#testing/fill';
import { aQueue } from '#testing/factories';
import { forEachStore, type OpenTestStore, TEST_START } from '#testing/stores';
import { openWork } from '#testing/work';
import { createBulkRunner } from './bulk-runner.ts';
import { createJobPages } from './job-pages.ts';
import { createJobWork } from './jobs.ts';

async function openFailed(
  openTestStore: OpenTestStore,
  count: number,
  more: Partial<JobFill> = {},
) {
  const { store, team, otherTeam, ...fixture } = await openWork(openTestStore);
  const { id: queueId } = await aQueue(store, team.id);
  const job = { team_id: team.id, queue_id: queueId, status: 'dead_lettered', reason: 'timeout' };
  const failed = { ...job, completed_at: TEST_START - 1000, ...more };
  const ids = await fillJobs(
    store,
    Array.from({ length: count }, () => failed),
  );
  const pages = createJobPages(store);
  const runOpen = () => createBulkRunner({ store, log: silentLog }).runOpen();
  return {
    ...fixture,
    store,
    pages,
    runOpen,
    job,
    ids,
    teamId: team.id,
    otherTeamId: otherTeam.id,
  };
}

async function findTask(pages: ReturnType<typeof createJobPages>, teamId: string, taskId: string) {
  return (await pages.listBulkTasks(teamId)).find(({ id }) => id === taskId);
}

async function dueTimesOf(pages: ReturnType<typeof createJobPages>, teamId: string) {
  const times: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const options = { limit: 200, ...(cursor !== '' && { cursor }) };
    const page = await pages.searchJobs(teamId, { tab: 'pending' }, options);
    times.push(...page.rows.map(({ at }) => at));
    cursor = page.next;
  }
  return times;
}

forEachStore((_, openTestStore, once) => {
  describe('bulk actions', () => {
    test('an action on a few jobs is done at once', async () => {
      await using bulk = await openFailed(openTestStore, 200);
      const { pages, teamId } = bulk;
      const outcome = await pages.startBulk(teamId, 'retry', { tab: 'failed' });
      assert.deepEqual(outcome, { kind: 'done', done: 200, skipped: 0 });
      assert.equal((await pages.countTabs(teamId)).pending.count, 200);
      const { failed, resent } = await pages.countTabs(teamId);
      assert.deepEqual([failed.count, resent.count], [0, 200]);
      const [task, ...others] = await pages.listBulkTasks(teamId);
      assert.deepEqual([task?.kind, task?.state, task?.done], ['retry', 'done', 200]);
      assert.deepEqual(others, [], 'what was done at once is listed, too');
    });

    test('a retry is spread at a rate, once the time of its last job was seen', async () => {
      await using bulk = await openFailed(openTestStore, 150);
      const { store, pages, teamId } = bulk;
      const rate = { count: 10, per: 'minute' } as const;
      const asked = await pages.startBulk(teamId, 'retry', { tab: 'failed' }, { rate });
      assert.ok(asked.kind === 'asks');
      const now = store.clock.now();
      const endsAt = now + 149 * 6_000;
      assert.deepEqual(asked.question.spread, { rate, endsAt });
      assert.deepEqual(asked.question.total, { count: 150, isMore: false });
      assert.equal((await pages.countTabs(teamId)).pending.count, 0, 'nothing was done so far');
      const answers = { rate, isTimed: true };
      const outcome = await pages.startBulk(teamId, 'retry', { tab: 'failed' }, answers);
      assert.deepEqual(outcome, { kind: 'done', done: 150, skipped: 0 });
      assert.deepEqual(
        await dueTimesOf(pages, teamId),
        Array.from({ length: 150 }, (_, n) => now + n * 6_000),
      );
      const [task] = await pages.listBulkTasks(teamId);
      assert.deepEqual([task?.rate, task?.endsAt], [rate, endsAt]);
    });

    once('a retry of jobs that were chosen by hand is spread, too', async () => {
      await using bulk = await openFailed(openTestStore, 4);
      const { store, pages, teamId, ids } = bulk;
      const rate = { count: 10, per: 'minute' } as const;
      const chosen = ids.slice(0, 3);
      const asked = await pages.actOnJobs(teamId, 'retry', chosen, { rate });
      assert.ok(asked.kind === 'asks');
      const now = store.clock.now();
      assert.deepEqual(asked.question.spread, { rate, endsAt: now + 12_000 });
      const answers = { rate, isTimed: true };
      const outcome = await pages.actOnJobs(teamId, 'retry', chosen, answers);
      assert.deepEqual(outcome, { kind: 'done', done: 3, skipped: 0 });
      const again = await pages.actOnJobs(teamId, 'retry', ids, answers);
      assert.ok(again.kind === 'asks', 'some were resent meanwhile');
      assert.deepEqual([again.question.resent?.count, again.question.spread?.rate], [3, rate]);
    });

    test('a retry of many is spread batch after batch, and goes on where it was stopped', async () => {
      await using bulk = await openFailed(openTestStore, 350);
      const { store, pages, teamId, runOpen } = bulk;
      const rate = { count: 1, per: 'second' } as const;
      const now = store.clock.now();
      const search = { tab: 'failed' } as const;
      const outcome = await pages.startBulk(teamId, 'retry', search, { rate, isTimed: true });
      assert.ok(outcome.kind === 'started');
      const [open] = await pages.listBulkTasks(teamId);
      assert.equal(open?.endsAt, now + 349_000);
      const stopped = createBulkRunner({ store, log: silentLog, pauseMs: 0 });
      stopped.start();
      await stopped.stop();
      await store.testClock.advance(5_000);
      await runOpen();
      const due = await dueTimesOf(pages, teamId);
      assert.equal(due.length, 350);
      assert.deepEqual(
        due.slice(100),
        Array.from({ length: 250 }, (_, n) => now + (100 + n) * 1000),
      );
      const [ended] = await pages.listBulkTasks(teamId);
      assert.deepEqual([ended?.done, ended?.endsAt], [350, now + 349_000]);
    });

    test('a retry to another URL replaces the target of many jobs and keeps their queries', async () => {
      const target = 'https://old.example/hook';
      await using bulk = await openFailed(openTestStore, 250, { url: `${target}?n=1` });
      const { pages, teamId, runOpen } = bulk;
      const search = { tab: 'failed', target } as const;
      for (const sendTo of ['nowhere', 'https://new.example/?m=2', 'https://new.example/#top']) {
        const refused = await pages.startBulk(teamId, 'retry', search, { sendTo });
        assert.equal(refused.kind, 'refused', sendTo);
      }
      const sendTo = 'https://new.example/hook';
      const { kind } = await pages.startBulk(teamId, 'retry', { tab: 'failed' }, { sendTo });
      assert.equal(kind, 'refused', 'the jobs have several targets');
      const outcome = await pages.startBulk(teamId, 'retry', search, { sendTo });
      assert.equal(outcome.kind, 'started');
      await runOpen();
      const { rows } = await pages.searchJobs(teamId, { tab: 'pending' }, { limit: 200 });
      assert.equal((await pages.countTabs(teamId)).pending.count, 250);
      assert.deepEqual(new Set(rows.map(({ url }) => url)), new Set([`${sendTo}?n=1`]));
    });

    once('a retry longer than a job may wait is refused, with the rate that fits', async () => {
      await using bulk = await openFailed(openTestStore, 50);
      const { pages, teamId } = bulk;
      const start = (count: number) =>
        pages.startBulk(teamId, 'retry', { tab: 'failed' }, { rate: { count, per: 'hour' } });
      assert.deepEqual(await start(2), {
        kind: 'refused',
        error:
          '50 jobs at 2 per hour take longer than the 24 hours that a job may wait. Spread them at 3 per hour or faster.',
      });
      assert.equal((await start(3)).kind, 'asks');
    });

    test('jobs beyond 24 hours of a spread retry are left unchanged', async () => {
      await using bulk = await openFailed(openTestStore, 260);
      const { store, pages, teamId, runOpen } = bulk;
      const total = { count: 250, isMore: true };
      const rate = { count: 10, per: 'hour' } as const;
      const task = { kind: 'retry', search: { tab: 'failed' }, total, rate } as const;
      assert.ok(await store.bulkTasks.create(teamId, task, store.clock.now()));
      await runOpen();
      const [ended] = await pages.listBulkTasks(teamId);
      assert.deepEqual([ended?.done, ended?.skipped], [241, 19]);
      const last = (await dueTimesOf(pages, teamId)).at(-1);
      assert.equal(last, store.clock.now() + 24 * 3_600_000);
    });

    test('a bulk retry reports the outcomes of its own jobs', async () => {
      await using bulk = await openFailed(openTestStore, 3);
      const { store, pages, teamId, otherTeamId, ids } = bulk;
      await pages.actOnJobs(teamId, 'retry', ids.slice(0, 1));
      await store.testClock.advance(1);
      await pages.actOnJobs(teamId, 'retry', ids.slice(1));
      const [task] = await pages.listBulkTasks(teamId);
      assert.ok(task?.resent);
      assert.deepEqual([task.resent.count, task.resent.underWay, task.resent.succeeded], [2, 2, 0]);
      assert.deepEqual(await pages.listBulkTasks(otherTeamId), []);
      const gone = (await store.jobs.find(teamId, ids[1] ?? ''))?.retriedAs ?? '';
      await pages.actOnJobs(teamId, 'delete', [gone]);
      const [later] = await pages.listBulkTasks(teamId);
      assert.deepEqual([later?.resent?.gone, later?.resent?.underWay], [1, 1]);
    });

    once('a retry that can’t be written down sends nothing', async () => {
      await using bulk = await openFailed(openTestStore, 2);
      const { store, pages, teamId, ids } = bulk;
      const rename = (from: string, to: string) =>
        store.database.autocommit(`alter table ${from} rename to ${to}`);
      await rename('bulk_tasks', 'out_of_reach');
      await assert.rejects(pages.actOnJobs(teamId, 'retry', ids));
      await assert.rejects(createJobWork(store).retryJob(teamId, ids[0] ?? ''));
      await rename('out_of_reach', 'bulk_tasks');
      const { failed, pending } = await pages.countTabs(teamId);
      assert.deepEqual([failed.count, pending.count], [2, 0]);
    });

    once('an action on all that match acts as of when the page was read', async () => {
      await using bulk = await openFailed(openTestStore, 3);
      const { store, pages, teamId, ids, job } = bulk;
      const asOf = store.clock.now();
      await store.testClock.advance(1000);
      await fillJobs(store, [{ ...job, completed_at: asOf + 1 }]);
      await store.jobs.retryFailed(teamId, ids.slice(0, 1));
      const search = { tab: 'failed' } as const;
      const retried = await pages.startBulk(teamId, 'retry', search, { asOf });
      assert.deepEqual(retried, { kind: 'done', done: 2, skipped: 0 });
      const resentOrNot = { tab: 'failed', resent: 'any' } as const;
      const answers = { asOf, resent: 'again' } as const;
      const again = await pages.startBulk(teamId, 'retry', resentOrNot, answers);
      assert.deepEqual(again, { kind: 'done', done: 0, skipped: 3 }, 'resent since');
      const deleted = await pages.startBulk(teamId, 'delete', resentOrNot, { asOf });
      assert.deepEqual(deleted, { kind: 'done', done: 3, skipped: 0 });
      assert.equal((await pages.countTabs(teamId)).failed.count, 1, 'failed after the page');
      const waiting = await pages.startBulk(teamId, 'delete', { tab: 'pending' }, { asOf });
      assert.deepEqual(waiting, { kind: 'done', done: 0, skipped: 0 });
    });

    once('a search that shows resent jobs retries them only if that was confirmed', async () => {
      await using bulk = await openFailed(openTestStore, 5);
      const { store, pages, teamId, ids } = bulk;
      await pages.actOnJobs(teamId, 'retry', ids.slice(0, 2));
      await store.testClock.advance(1);
      const any = { tab: 'failed', resent: 'any' } as const;
      const only = { tab: 'failed', resent: 'only' } as const;
      const counts = await Promise.all([any, only].map((each) => pages.countJobs(teamId, each)));
      assert.deepEqual(
        counts.map(({ count }) => count),
        [5, 2],
      );
      const asked = await pages.startBulk(teamId, 'retry', any);
      assert.ok(asked.kind === 'asks');
      assert.deepEqual([asked.question.total.count, asked.question.resent?.count], [5, 2]);
      const none = await pages.startBulk(teamId, 'retry', only, { resent: 'leave' });
      assert.deepEqual(none, { kind: 'done', done: 0, skipped: 0 });
      assert.equal((await pages.countTabs(teamId)).pending.count, 2, 'nothing was sent so far');
      const others = await pages.startBulk(teamId, 'retry', any, { resent: 'leave' });
      assert.deepEqual(others, { kind: 'done', done: 3, skipped: 0 });
      await store.testClock.advance(1);
      const all = await pages.startBulk(teamId, 'retry', any, { resent: 'again' });
      assert.deepEqual(all, { kind: 'done', done: 5, skipped: 0 });
    });

    once('a task over resent jobs sends each once more, but none resent since', async () => {
      await using bulk = await openFailed(openTestStore, 300);
      const { store, pages, teamId, ids, runOpen } = bulk;
      await store.jobs.retryFailed(teamId, ids.slice(0, 200));
      await store.testClock.advance(1000);
      const any = { tab: 'failed', resent: 'any' } as const;
      const answers = { resent: 'again', asOf: store.clock.now() } as const;
      await store.testClock.advance(1000);
      // A double click: both are asked for as of the same page.
      for (let n = 0; n < 2; n++) {
        assert.equal((await pages.startBulk(teamId, 'retry', any, answers)).kind, 'started');
      }
      await runOpen();
      assert.equal((await pages.countTabs(teamId)).pending.count, 200 + 300);
      const tasks = await pages.listBulkTasks(teamId);
      assert.deepEqual(new Set(tasks.map(({ done }) => done)), new Set([0, 300]));
    });

    test('an action on many jobs becomes a task that does each job once', async () => {
      await using bulk = await openFailed(openTestStore, 450);
      const { store, pages, teamId, job, runOpen } = bulk;
      await store.testClock.advance(1000);
      const outcome = await pages.startBulk(teamId, 'retry', { tab: 'failed', reason: 'timeout' });
      assert.ok(outcome.kind === 'started');
      assert.deepEqual(outcome.task.total, { count: 450, isMore: false });
      await store.testClock.advance(1000);
      await fillJobs(store, [{ ...job, completed_at: TEST_START + 2000 }]);
      await runOpen();
      const task = await findTask(pages, teamId, outcome.task.id);
      assert.equal(task?.state, 'done');
      assert.equal(task?.done, 450);
      assert.equal(task?.skipped, 0);
      assert.equal((await pages.countTabs(teamId)).pending.count, 450, 'not what arrived later');
      const { rows: jobs } = await pages.searchJobs(teamId, { tab: 'failed' });
      assert.equal(jobs.length, 1);
    });

    once('a task that was cut short goes on, and retries nothing twice', async () => {
      await using bulk = await openFailed(openTestStore, 300);
      const { store, pages, teamId, ids } = bulk;
      await store.testClock.advance(1000);
      const outcome = await pages.startBulk(teamId, 'retry', { tab: 'failed' });
      assert.ok(outcome.kind === 'started');
      // Another node claimed it, retried some jobs, and died before it wrote its progress.
      await store.bulkTasks.claim(
        '018f0000-0000-7000-8000-000000000001',
        store.clock.now(),
        30_000,
      );
      await store.testClock.advance(10);
      await store.jobs.retryFailed(teamId, ids.slice(0, 100));
      const runner = createBulkRunner({ store, log: silentLog });
      await runner.runOpen();
      assert.equal((await findTask(pages, teamId, outcome.task.id))?.done, 0, 'still claimed');
      await store.testClock.advance(30_000);
      await runner.runOpen();
      assert.equal((await findTask(pages, teamId, outcome.task.id))?.state, 'done');
      assert.equal((await pages.countTabs(teamId)).pending.count, 300);
    });

    once('a runner that cannot release its task stops all the same, and logs it', async () => {
      await using bulk = await openFailed(openTestStore, 300);
      const { store, teamId } = bulk;
      const outcome = await createJobPages(store).startBulk(teamId, 'retry', { tab: 'failed' });
      assert.ok(outcome.kind === 'started');
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
      const { store, pages, teamId, runOpen } = bulk;
      const damaged = await pages.startBulk(teamId, 'delete', { tab: 'failed' });
      assert.ok(damaged.kind === 'started');
      await change(store.database, 'bulk_tasks', {}, { search: '{"tab":' });
      await store.testClock.advance(1000);
      const next = await pages.startBulk(teamId, 'retry', { tab: 'failed' });
      assert.ok(next.kind === 'started');
      await runOpen();
      const states = (await pages.listBulkTasks(teamId)).map(({ state, done }) => [state, done]);
      assert.deepEqual(states, [
        ['done', 300],
        ['cancelled', 0],
      ]);
      const { pending, resent } = await pages.countTabs(teamId);
      assert.deepEqual([pending.count, resent.count], [300, 300]);
    });

    test('pending jobs are fired and deleted, a waiting retry too', async () => {
      const later = { status: 'pending', completed_at: null, reason: null };
      const due = { ...later, scheduled_at: TEST_START + 3_600_000, attempt_number: 2 };
      await using bulk = await openFailed(openTestStore, 250, due);
      const { store, pages, teamId, ids } = bulk;
      const runner = createBulkRunner({ store, log: silentLog });
      await pages.startBulk(teamId, 'fire', { tab: 'retrying' });
      await runner.runOpen();
      const { rows: jobs } = await pages.searchJobs(teamId, { tab: 'retrying' });
      assert.ok(jobs.every(({ scheduledAt }) => scheduledAt <= store.clock.now()));
      await pages.startBulk(teamId, 'delete', { tab: 'retrying' });
      await runner.runOpen();
      assert.equal(await store.jobs.find(teamId, ids[0] ?? ''), null);
      assert.equal((await pages.countTabs(teamId)).all.count, 0);
    });

    once('a bulk action of the wrong kind is rejected and changes nothing', async () => {
      await using bulk = await openFailed(openTestStore, 1);
      const { pages, teamId, ids } = bulk;
      for (const tab of ['all', 'completed', 'processing', 'pending'] as const) {
        assert.equal((await pages.startBulk(teamId, 'retry', { tab })).kind, 'refused', tab);
      }
      assert.equal((await pages.startBulk(teamId, 'delete', { tab: 'all' })).kind, 'refused');
      assert.deepEqual(await pages.actOnJobs(teamId, 'fire', [...ids, 'no id']), {
        kind: 'done',
        done: 0,
        skipped: 2,
      });
      assert.equal((await pages.countTabs(teamId)).failed.count, 1);
    });

    once("another team can neither act on jobs nor see or cancel a team's tasks", async () => {
      await using bulk = await openFailed(openTestStore, 300);
      const { pages, teamId, otherTeamId, ids } = bulk;
      for (const kind of ['retry', 'delete'] as const) {
        const acted = await pages.actOnJobs(otherTeamId, kind, ids.slice(0, 10));
        assert.deepEqual(acted, { kind: 'done', done: 0, skipped: 10 });
        const started = await pages.startBulk(otherTeamId, kind, { tab: 'failed' });
        assert.deepEqual(started, { kind: 'done', done: 0, skipped: 0 });
      }
      const outcome = await pages.startBulk(teamId, 'retry', { tab: 'failed' });
      assert.ok(outcome.kind === 'started');
      assert.deepEqual(await pages.listBulkTasks(otherTeamId), []);
      assert.equal(await pages.cancelBulkTask(otherTeamId, outcome.task.id), false);
      assert.equal((await findTask(pages, teamId, outcome.task.id))?.state, 'waiting');
    });

    once('a team may have only so many tasks under way', async () => {
      await using bulk = await openFailed(openTestStore, 201);
      const { pages, teamId } = bulk;
      for (let n = 0; n < 5; n++) {
        assert.equal((await pages.startBulk(teamId, 'retry', { tab: 'failed' })).kind, 'started');
      }
      assert.equal((await pages.startBulk(teamId, 'retry', { tab: 'failed' })).kind, 'refused');
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
