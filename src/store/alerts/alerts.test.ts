import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GATHER_MS } from '#domain/alerts/alert-burst';
import { newId } from '#domain/base/ids';
import type { AlertFilter } from '#store/alerts/alerts';
import type { ClaimedExecution, ClaimedJob } from '#store/runs/claims';
import type { Store } from '#store/store';
import {
  aClaimedJob,
  aCron,
  anExecutionSettlement,
  aNode,
  aQueue,
  aSettlement,
  aTeam,
  declareDead,
  editCron,
  FAILED,
  readDefaultChannel,
  runAlerts,
  runCron,
  setDefaultChannel,
  settleAtOnce,
  startRuns,
} from '#testing/factories';
import { forEachStore, type TestStore } from '#testing/stores';
import { raiseJobAlerts } from './job-alerts.ts';
import { all, change, remove } from '../database/rows.ts';

async function end(store: Store, node: string, run: ClaimedExecution | undefined, ok: boolean) {
  assert.ok(run);
  const settlement = anExecutionSettlement(store, run, ok ? {} : FAILED);
  assert.equal(await store.runs.settle(node, settlement), true);
}

async function levels(store: Store, teamId: string) {
  const alerts = await runAlerts(store, teamId, { limit: 100 });
  return alerts.map(({ level }) => level).toReversed();
}

async function aScene(store: TestStore, alertThreshold: number | null = 2) {
  const { id: teamId } = await aTeam(store);
  const node = await aNode(store, 1e9);
  const cron = await aCron(store, teamId, { alertThreshold });
  const run = async (...outcomes: boolean[]) => {
    for (const ok of outcomes) await runCron(store, node, cron, ok ? {} : FAILED);
  };
  return { teamId, node, cron, run };
}

forEachStore((_name, openTestStore) => {
  describe('alerts of crons', () => {
    test('a streak counts runs in the order of settling, not of starting', async () => {
      await using store = await openTestStore();
      const { teamId, node, cron } = await aScene(store);
      const [slow, quick, last] = await startRuns(store, node, cron, 3);
      await end(store, node, quick, false);
      await end(store, node, slow, true);
      await end(store, node, last, false);
      assert.deepEqual(await levels(store, teamId), ['warning', 'warning']);
    });

    test('a streak is exact when two nodes settle overlapping runs', async () => {
      await using store = await openTestStore();
      const { teamId, node, cron } = await aScene(store, 3);
      await settleAtOnce(store, cron, FAILED);
      assert.deepEqual(await levels(store, teamId), ['warning', 'failure']);
      const [execution] = await startRuns(store, node, cron);
      await end(store, node, execution, true);
      const [recovery] = await runAlerts(store, teamId, { limit: 1 });
      assert.equal(recovery?.failedRuns, 16);
    });

    test('a streak starts when the threshold is set, with the run that is under way', async () => {
      await using store = await openTestStore();
      const { teamId, node, cron, run } = await aScene(store);
      const set = (alertThreshold: number | null) => editCron(store, cron, { alertThreshold });
      await run(false);
      await set(null);
      await run(false, false);
      const [execution] = await startRuns(store, node, cron);
      await set(2);
      await end(store, node, execution, false);
      assert.deepEqual(await levels(store, teamId), ['warning', 'warning']);
    });
  });

  describe('alerts of queues', () => {
    test('a run whose worker died alerts, if its queue or cron does', async () => {
      await using store = await openTestStore();
      const { id: teamId } = await aTeam(store);
      const node = await aNode(store);
      await aQueue(store, teamId, { name: 'loud', emailAlerts: true });
      await aQueue(store, teamId, { name: 'silent' });
      const loud = await aClaimedJob(store, teamId, node, { queue: 'loud' });
      const silent = await aClaimedJob(store, teamId, node, { queue: 'silent' });
      await store.nodes.retire(node, new Set([loud.id, silent.id]), store.clock.now());
      const alerts = await runAlerts(store, teamId, { limit: 9 });
      assert.deepEqual(
        alerts.map(({ runId, level }) => [runId, level]),
        [[loud.id, 'failure']],
      );
      const other = await aNode(store);
      await startRuns(store, other, await aCron(store, teamId, { alertThreshold: 1 }));
      await declareDead(store);
      const [alert] = await runAlerts(store, teamId, { limit: 1 });
      assert.deepEqual([alert?.level, alert?.reason], ['failure', 'worker_failed']);
    });

    test('a burst on two nodes at once shares notifications, and every alert is in one', async () => {
      await using store = await openTestStore({ onThisThread: false });
      const { id: teamId } = await aTeam(store);
      await aQueue(store, teamId, { emailAlerts: true });
      const other = await store.openAnother();
      const failJobs = async (on: Store, count: number) => {
        const node = await aNode(on, 1e9);
        const jobs: ClaimedJob[] = [];
        for (let n = 0; n < count; n++) jobs.push(await aClaimedJob(on, teamId, node));
        return async () => {
          for (const job of jobs) {
            const dead = aSettlement(on, job, { status: 'dead_lettered', alert: 'failure' });
            await on.runs.settle(node, dead);
          }
        };
      };
      const bursts = [await failJobs(store, 15), await failJobs(other, 15)];
      await Promise.all(bursts.map((burst) => burst()));
      const now = store.clock.now();
      const claim = { now, leaseMs: 1, most: 99 };
      const [first, ...others] = await store.notifications.claimDue(teamId, claim);
      assert.equal(others.length, 0);
      const late = { ...claim, now: now + GATHER_MS };
      const rest = await store.notifications.claimDue(teamId, late);
      const gathered = rest.filter(({ id }) => id !== first?.id);
      assert.equal(gathered.length, 1);
      assert.equal((first?.alertCount ?? 0) + (gathered[0]?.alertCount ?? 0), 30);
    });
  });

  test('a long burst is marked as sent to its last alert, and no alert is read twice', async () => {
    const starts: unknown[] = [];
    await using store = await openTestStore({
      onStatement: ({ sql, parameters: [, after] }) => {
        if (/^select id from alerts .*limit/.test(sql)) starts.push(after);
      },
    });
    const { id: teamId } = await aTeam(store);
    const { id: queueId } = await aQueue(store, teamId, { emailAlerts: true });
    const now = store.clock.now();
    await store.database.transact(async (trx) => {
      const end = { completedAt: now, responseStatus: null, reason: null, errorMessage: null };
      const alerts = Array.from({ length: 2_500 }, () => ({
        alert: 'failure' as const,
        run: { teamId, queueId, id: newId(now), attemptNumber: 1 },
        end,
      }));
      await raiseJobAlerts(trx, alerts);
    });
    const claim = { now, leaseMs: 1000, most: 9 };
    const [notification, ...others] = await store.notifications.claimDue(teamId, claim);
    assert.ok(notification && others.length === 0);
    assert.equal(notification.alertCount, 2_500);
    starts.length = 0;
    await store.notifications.finish(notification, 'sent');
    assert.deepEqual([starts.length, new Set(starts).size], [3, 3]);
    const sent = await runAlerts(store, teamId, { limit: 9_999, delivery: 'sent' });
    assert.equal(sent.length, 2_500);
    assert.deepEqual(await store.notifications.scanWaiting(), []);
    const [newest] = sent;
    assert.equal(await store.alerts.markReadUpTo(teamId, newest?.id ?? ''), 2_500);
    assert.deepEqual(await runAlerts(store, teamId, { limit: 9, unreadOnly: true }), []);
  });

  test('settling without alerts runs only the statements that end the run', async () => {
    const names: string[] = [];
    await using store = await openTestStore({
      onStatement: ({ sql }) => void names.push(/^\/\* ([\w-]+)/.exec(sql)?.[1] ?? sql),
    });
    const { teamId, node, cron } = await aScene(store, null);
    const watched = await aCron(store, teamId, { alertThreshold: 1 });
    await aQueue(store, teamId);
    const job = await aClaimedJob(store, teamId, node);
    const [execution] = await startRuns(store, node, cron);
    const [success] = await startRuns(store, node, watched);
    names.length = 0;
    await store.runs.settle(node, aSettlement(store, job, { status: 'dead_lettered' }));
    await end(store, node, execution, false);
    const ran = names.splice(0).filter((name) => !/^(begin|commit)/.test(name));
    const ends =
      store.dialect === 'postgres'
        ? ['end-jobs-by-place-at-once', 'end-executions-at-once']
        : ['end-jobs-by-place', 'count-batch', 'take-out-places'].concat([
            'end-executions',
            'count-batch',
            'take-out-executions',
          ]);
    assert.deepEqual(ran, ends);
    await end(store, node, success, true);
    assert.ok(!names.includes('lock-streaks'), 'a success without failures before it');
    assert.deepEqual(await levels(store, teamId), []);
  });

  describe('a notification', () => {
    test('a notification is claimed again after its node is gone, unless its team is deleted', async () => {
      await using store = await openTestStore();
      const { teamId, run } = await aScene(store, 1);
      await run(false);
      const now = store.clock.now();
      const claimAfter = (ms: number) =>
        store.notifications.claimDue(teamId, { now: now + ms, leaseMs: 1000, most: 10 });
      const [first] = await claimAfter(0);
      assert.deepEqual(await claimAfter(999), []);
      const [second] = await claimAfter(1000);
      assert.ok(first && second);
      assert.equal(second.id, first.id);
      assert.equal(await store.notifications.keep([first], [], now), false, 'its claim is gone');
      await store.notifications.finish(first, 'failed');
      await store.notifications.finish(second, 'sent');
      const [alert] = await runAlerts(store, teamId, { limit: 1 });
      assert.equal(alert?.delivery, 'sent');
      assert.deepEqual(await store.notifications.scanWaiting(), []);
      await run(true);
      assert.equal((await store.notifications.scanWaiting()).length, 1);
      await change(store.database, 'teams', { id: teamId }, { deleted_at: 1 });
      assert.deepEqual(await store.notifications.scanWaiting(), []);
    });
  });

  describe('reading alerts', () => {
    test('alerts are filtered, paged, counted and marked as read', async () => {
      await using store = await openTestStore();
      const { teamId, cron, run } = await aScene(store, 2);
      await run(false, false, true);
      const { alerts } = store;
      const list = (filter: Partial<AlertFilter>) =>
        runAlerts(store, teamId, { limit: 9, ...filter });
      const [newest, second, oldest] = await list({});
      assert.ok(newest && second && oldest);
      assert.deepEqual(await list({ before: second.id }), [oldest]);
      assert.deepEqual(await list({ after: oldest.id, limit: 1 }), [second], 'the nearest one');
      const source = { kind: 'cron', id: cron.id } as const;
      assert.deepEqual(await list({ source, level: 'failure' }), [second]);
      assert.deepEqual(await list({ sourceKind: 'queue' }), []);
      const unread = async () => (await list({ unreadOnly: true })).map(({ id }) => id);
      assert.equal(await alerts.mark((await aTeam(store)).id, [newest.id], true), 0);
      assert.equal(await alerts.mark(teamId, [newest.id, oldest.id], true), 2);
      assert.deepEqual(await unread(), [second.id]);
      assert.equal(await alerts.markReadUpTo(teamId, second.id), 1);
      assert.equal(await alerts.mark(teamId, [newest.id], false), 1);
      assert.deepEqual(await unread(), [newest.id]);
    });

    test('a notification whose alerts were deleted is deleted', async () => {
      await using store = await openTestStore();
      const { teamId, run } = await aScene(store, 1);
      await run(false);
      await remove(store.database, 'alerts', {});
      const claim = { now: store.clock.now(), leaseMs: 1, most: 9 };
      assert.deepEqual(await store.notifications.claimDue(teamId, claim), []);
      assert.deepEqual(await store.notifications.scanWaiting(), []);
    });
  });

  test('the address of a channel is sealed', async () => {
    await using store = await openTestStore();
    const { id: teamId } = await aTeam(store);
    assert.deepEqual((await readDefaultChannel(store, teamId)).config, { kind: 'email' });
    const config = { kind: 'slack', url: 'https://hooks.example/T0/B0/secret' } as const;
    await setDefaultChannel(store, teamId, config);
    assert.deepEqual((await readDefaultChannel(store, teamId)).config, config);
    const rows = await all(store.database, 'channels', {});
    assert.ok(!JSON.stringify(rows).includes('secret'));
  });

  test('crons that leave a window at the same time all leave it, and the others stay', async () => {
    await using store = await openTestStore();
    const { id: teamId } = await aTeam(store);
    const now = store.clock.now();
    const ids = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map(async (name) => (await aCron(store, teamId, { name })).id),
    );
    const covers = ids.map((id) => ({ kind: 'cron' as const, id }));
    const settings = { name: 'Move', startsAt: now, endsAt: now + 1, isWeekly: false, covers };
    await store.windows.create(teamId, { ...settings, covers: [...covers, ...covers] }, now);
    await Promise.all(covers.slice(1).map((each) => store.windows.uncover(teamId, each)));
    const left = await store.windows.list(teamId);
    assert.deepEqual(
      left.map((window) => window.covers),
      [covers.slice(0, 1)],
    );
  });
});
