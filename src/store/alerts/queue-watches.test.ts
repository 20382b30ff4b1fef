import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_WATCH } from '#domain/alerts/queue-watch';
import { HOUR_MS, MINUTE_MS } from '#domain/base/instant';
import { aJob, aQueue, aTeam, runAlerts } from '#testing/factories';
import { fillJobs } from '#testing/fill';
import { holdRows } from '#testing/holder';
import { pluck } from '#testing/pluck';
import { forEachStore, type OpenTestStore } from '#testing/stores';
import { all, remove } from '../database/rows.ts';

const RULES = {
  backlog: { minutes: 5, jobs: null, pausedHours: null },
  failureRate: { percent: 20, attempts: 10 },
};

async function aScene(openTestStore: OpenTestStore) {
  const store = await openTestStore();
  const { id: teamId } = await aTeam(store);
  const queue = await aQueue(store, teamId, { watch: RULES });
  const check = (by = store) => by.alerts.checkQueues(store.clock.now());
  const kinds = async (team = teamId) =>
    (await runAlerts(store, team, { limit: 10 })).map(({ level, kind }) => `${level} ${kind}`);
  return { store, teamId, queue, check, kinds };
}

forEachStore((name, openTestStore) => {
  describe('§6.4 watched queues', () => {
    test('checks of two nodes at once raise one alert and one recovery', async () => {
      const { store, teamId, queue, check, kinds } = await aScene(openTestStore);
      await using _ = store;
      const other = name === 'postgres' ? await store.openAnother() : store;
      const checkFor = async (minutes: number) => {
        for (let n = 0; n < minutes; n++) {
          await store.testClock.advance(MINUTE_MS);
          const now = store.clock.now();
          await Promise.all([store, other].map((each) => each.alerts.checkQueues(now)));
        }
      };
      await aJob(store, teamId);
      await checkFor(12);
      assert.deepEqual(await kinds(), ['failure backlog']);
      await remove(store.database, 'jobs', { team_id: teamId });
      await checkFor(3);
      assert.deepEqual(await kinds(), ['recovery backlog', 'failure backlog']);
      assert.deepEqual(await store.alerts.listOpenWatches(teamId, [queue.id]), []);
      await check();
    });

    test('retries count as failed attempts, and only the newest attempts count', async () => {
      const { store, teamId, queue, check, kinds } = await aScene(openTestStore);
      await using _ = store;
      await store.testClock.advance(HOUR_MS);
      const now = store.clock.now();
      const attempts = (status: string, count: number, minutesAgo: number) =>
        Array.from({ length: count }, () => {
          const completed_at = now - minutesAgo * MINUTE_MS;
          return { team_id: teamId, queue_id: queue.id, status, completed_at };
        });
      // Of the last ten, two failed.
      await fillJobs(store, [
        ...attempts('dead_lettered', 8, 30),
        ...attempts('success', 8, 20),
        ...attempts('retried', 2, 10),
        ...attempts('failed', 9, 5),
      ]);
      await check();
      await store.testClock.advance(MINUTE_MS);
      await check();
      assert.deepEqual(await kinds(), []);
      await fillJobs(store, attempts('retried', 1, 1));
      for (let n = 0; n < 2; n++) {
        await store.testClock.advance(MINUTE_MS);
        await check();
      }
      assert.deepEqual(await kinds(), ['failure failure_rate']);
    });

    test('a deleted queue and a removed rule leave no row behind', async () => {
      const { store, teamId, queue, check } = await aScene(openTestStore);
      await using _ = store;
      const kindsLeft = async () =>
        pluck(await all(store.database, 'queue_watches', {}, { order: ['kind'] }), 'kind');
      assert.deepEqual(await kindsLeft(), ['backlog', 'failure_rate']);
      const watch = { ...RULES, failureRate: NO_WATCH.failureRate };
      await store.queues.update(teamId, queue.id, { watch });
      assert.deepEqual(await kindsLeft(), ['backlog']);
      await store.queues.update(teamId, queue.id, { concurrencyLimit: 3 });
      assert.deepEqual(await kindsLeft(), ['backlog']);
      await store.queues.delete(teamId, queue.id);
      await check();
      assert.deepEqual(await kindsLeft(), []);
    });

    if (name === 'postgres') {
      test("one locked row does not delay other teams' alerts", async () => {
        const { store, teamId, check, kinds } = await aScene(openTestStore);
        await using _ = store;
        const { id: otherTeam } = await aTeam(store, { name: 'Southwind' });
        await aQueue(store, otherTeam, { watch: RULES });
        await aJob(store, otherTeam);
        await using holder = await holdRows(store);
        await holder.query('select 1 from queue_watches where team_id = $1 for update', [teamId]);
        for (let n = 0; n < 8; n++) {
          await store.testClock.advance(MINUTE_MS);
          await check();
        }
        assert.deepEqual([await kinds(), await kinds(otherTeam)], [[], ['failure backlog']]);
      });
    }
  });
});
