import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '#domain/base/instant';
import { silentLog } from '#domain/base/log';
import { ask } from '#testing/ask';
import { fillJobs } from '#testing/fill';
import { aNode, aQueue, aTeam } from '#testing/factories';
import { eventually } from '#testing/process';
import { forEachStore } from '#testing/stores';
import type { Store } from '#store/store';
import { watchClock } from './clock-jumps.ts';
import { type HousekeepingOptions, keepHouse, nextSize, sizeAfterFailure } from './housekeeping.ts';

const JOBS = 2_000;

describe('housekeeping', () => {
  forEachStore((_name, openTestStore, once) => {
    once('a failing deletion does not delay the other ones', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const queue = await aQueue(store, team.id);
      const completed_at = store.clock.now() - 31 * DAY_MS;
      const old = { team_id: team.id, queue_id: queue.id, status: 'success', completed_at };
      const jobs = Array.from({ length: JOBS }, () => old);
      await fillJobs(store, jobs);
      await ask(store, 'alter table alerts rename to kept_alerts');
      const failures: unknown[] = [];
      const log = {
        ...silentLog,
        warn: (_event: string, fields: object = {}) => failures.push(fields),
      };
      const housekeeping = housekeepingOf(store, { log });
      housekeeping.start();
      await store.testClock.advance(60_000);
      const until = store.clock.now() + 59_000;
      await eventually(
        async () => {
          await store.testClock.advance(20);
          return (await ask(store, 'select 1 from ended_jobs limit 1')).length === 0;
        },
        { everyMs: 5, what: 'the jobs to be gone' },
      );
      assert.ok(store.clock.now() < until, 'one round a minute');
      assert.ok(failures.length > 0);
      assert.ok(failures.every((fields) => (fields as { what: string }).what === 'alerts'));
      await ask(store, 'alter table kept_alerts rename to alerts');
      await housekeeping.stop();
    });

    test('a database over its limit loses its oldest runs, by one node with the limit and in small steps', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const queue = await aQueue(store, team.id);
      const of = { team_id: team.id, queue_id: queue.id, status: 'dead_lettered' };
      const now = store.clock.now();
      await fillJobs(
        store,
        Array.from({ length: JOBS }, (_, n) => ({ ...of, completed_at: now - HOUR_MS - n * 300 })),
      );
      const young = { ...of, completed_at: now - HOUR_MS / 2 };
      const kept = await fillJobs(store, [young, { ...of, status: 'pending' }]);
      // Of three nodes, the first of which has no limit.
      const deleted: string[][] = [[], [], []];
      const events: string[] = [];
      const nodeIds = [await aNode(store), await aNode(store), await aNode(store)];
      const houses = deleted.map((own, n) => {
        const debug = (event: string, fields: object = {}) =>
          void own.push(`${event} ${JSON.stringify(fields)}`);
        const info = (event: string) => {
          if (event.includes('size') || event.includes('left')) events.push(event);
        };
        const log = { ...silentLog, debug, info, warn: info };
        const nodeId = () => nodeIds[n] ?? '';
        return housekeepingOf(store, { log, historyMaxBytes: n === 0 ? null : 1, nodeId });
      });
      for (const house of houses) house.start();
      await eventually(
        async () => {
          const isIdle = houses.every(({ isRunning }) => !isRunning);
          if (isIdle) await store.testClock.advance(2_000);
          return events.includes('retention.nothing-left');
        },
        { everyMs: 5, what: 'all but the last hour to be gone' },
      );
      const left = await store.jobs.list(team.id, { limit: 5 });
      assert.deepEqual(left.map(({ id }) => id).toSorted(), kept.toSorted());
      assert.deepEqual(events, ['retention.size-exceeded', 'retention.nothing-left']);
      for (const house of houses) await house.stop();
      const steps = deleted.map(
        (own) => own.filter((line) => line.includes('"what":"size"')).length,
      );
      const keeper = steps.findIndex((count) => count > 3);
      assert.ok(
        keeper > 0 && steps.every((count, n) => n === keeper || count === 0),
        `${steps.join()} steps`,
      );
      const [holder = '', other = ''] = [nodeIds[keeper], nodeIds[3 - keeper]];
      assert.equal(await store.nodes.takeChore(other, 'shrinking'), false);
      await store.nodes.retire(holder, new Set(), store.clock.now());
      assert.equal(await store.nodes.takeChore(other, 'shrinking'), true);
    });

    once('a clock that jumps ahead by a year costs no history for an hour', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const queue = await aQueue(store, team.id);
      const completed_at = store.clock.now() - HOUR_MS / 2;
      const job = { team_id: team.id, queue_id: queue.id, status: 'success', completed_at };
      await fillJobs(store, [job]);
      const isThere = async () => (await store.jobs.list(team.id, { limit: 1 })).length === 1;
      const nodeId = await aNode(store);
      const housekeeping = housekeepingOf(store, { historyMaxBytes: 1, nodeId: () => nodeId });
      housekeeping.start();
      await store.testClock.advance(60_000);
      store.testClock.jumpTo(store.clock.now() + 365 * DAY_MS);
      for (let minute = 0; minute < 55; minute++) {
        await store.testClock.advance(60_000);
        assert.equal(await isThere(), true, `${minute} minutes`);
      }
      await eventually(
        async () => {
          await store.testClock.advance(60_000);
          return !(await isThere());
        },
        { everyMs: 5, what: 'the job to go by the clock that stayed' },
      );
      await housekeeping.stop();
    });
  });
});

function housekeepingOf(store: Store, options: Partial<HousekeepingOptions>) {
  const clockJumps = watchClock(store.clock, silentLog);
  const days = { historyDays: 30, successHistoryDays: 30, historyMaxBytes: null };
  const common = { store, log: silentLog, clockJumps, nodeId: () => '' };
  return keepHouse({ ...common, ...days, ...options });
}

test('the next step takes about as long as intended, within limits, and is smaller after a failure', () => {
  const limits = { first: 500, least: 50, most: 4_000, aimMs: 100 };
  for (const [size, tookMs, next] of [
    [500, 10, 1_000],
    [500, 100, 500],
    [600, 300, 200],
    [60, 60_000, 50],
    [3_000, 1, 4_000],
    [500, 0, 1_000],
  ] as const)
    assert.equal(nextSize(limits, size, tookMs), next);
  assert.equal(sizeAfterFailure(limits, 2_000), 500);
  assert.equal(sizeAfterFailure(limits, 60), 50);
});
