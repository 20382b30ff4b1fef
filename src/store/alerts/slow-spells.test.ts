import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '#domain/base/instant';
import { type AlertSettings, NO_ALERT_SETTINGS } from '#domain/alerts/alert-settings';
import { deleteSource } from '../retention/delete-runs.ts';
import {
  aClaimedJob,
  aCron,
  alertTexts,
  anExecutionSettlement,
  aNode,
  aQueue,
  aSettlement,
  aTeam,
  editCron,
  FAILED,
  runAlerts,
  runCron,
  settleAtOnce,
  startRuns,
} from '#testing/factories';
import { makeGate } from '#testing/scheduling';
import { holdRows } from '#testing/holder';
import {
  forEachStore,
  type OpenTestStore,
  openPostgresTestStore,
  openSqliteTestStore,
} from '#testing/stores';
import { all } from '../database/rows.ts';

const SLOW_SECONDS = 20;
const SLOW_MS = 25_000;
const FAST_MS = 800;

async function aScene(openTestStore: OpenTestStore) {
  const store = await openTestStore();
  const { id: teamId } = await aTeam(store);
  const node = await aNode(store, 1e9);
  const alertSettings = { ...NO_ALERT_SETTINGS, slowSeconds: SLOW_SECONDS };
  const cron = await aCron(store, teamId, { alertSettings });
  /** Run nows that are under way. */
  const start = () => startRuns(store, node, cron);
  const run = async (durationMs: number, isSuccess = true) => {
    const { end, ...ending } = isSuccess ? { end: {} } : FAILED;
    await runCron(store, node, cron, { ...ending, end: { ...end, durationMs } });
    await store.testClock.advance(HOUR_MS);
  };
  const set = (alertSettings: Partial<AlertSettings>) =>
    editCron(store, cron, { alertSettings: { ...cron.alertSettings, ...alertSettings } });
  return { store, teamId, node, cron, start, run, set };
}

const BEGUN = 'warning slow: Took 25 s, longer than 20 s.';
const OVER = 'recovery slow: Took 800 ms.';

forEachStore((name, openTestStore) => {
  describe('§6.4 slow runs', () => {
    test('slow runs of a cron raise one alert, and one when a run is fast again', async () => {
      const { store, teamId, cron, run } = await aScene(openTestStore);
      await using _ = store;
      await run(FAST_MS);
      const since = store.clock.now();
      await run(SLOW_MS);
      await run(SLOW_MS, false);
      assert.equal(await store.alerts.findSlowSince(teamId, cron.id, SLOW_SECONDS), since);
      await run(FAST_MS, false);
      assert.deepEqual(await alertTexts(store, teamId), [BEGUN]);
      await run(FAST_MS);
      await run(FAST_MS);
      assert.deepEqual(await alertTexts(store, teamId), [BEGUN, OVER]);
      assert.equal(await store.alerts.findSlowSince(teamId, cron.id, SLOW_SECONDS), null);
      const [recovery] = await runAlerts(store, teamId, { limit: 1 });
      assert.equal(recovery?.downMs, 3 * HOUR_MS);
      assert.equal(recovery.delivery, 'pending');
      assert.deepEqual(recovery.source, { kind: 'cron', id: cron.id, name: cron.name });
    });

    test('slow runs that two nodes settle at once raise one alert', async () => {
      const { store, teamId, cron } = await aScene(openTestStore);
      await using _ = store;
      await settleAtOnce(store, cron, { end: { durationMs: SLOW_MS } });
      assert.deepEqual(await alertTexts(store, teamId), [BEGUN]);
    });

    if (name === 'postgres') {
      test('a cron deleted while a slow run is settled leaves no row behind', async () => {
        const { store, teamId, node, cron, start } = await aScene(openTestStore);
        await using _ = store;
        const other = await store.openAnother();
        const [execution] = await start();
        assert.ok(execution);
        const [deleted, tried] = [makeGate(), makeGate()];
        const deleting = other.database.transact(async (trx) => {
          await deleteSource(trx, 'crons', { team_id: teamId, id: cron.id });
          deleted.open();
          await tried.opened;
        });
        await deleted.opened;
        const end = { durationMs: SLOW_MS };
        const settlement = anExecutionSettlement(store, execution, { end });
        // Refused for now: the cron is locked.
        const ended = await store.runs.settle(node, settlement).catch(() => null);
        tried.open();
        await deleting;
        if (ended === null) await store.runs.settle(node, settlement);
        const left = await all(store.database, 'slow_spells', {});
        assert.deepEqual(left, []);
      });
    }

    test('alerts of slow jobs go to the channels of the queue, not to every member', async () => {
      await using store = await openTestStore();
      const { id: teamId } = await aTeam(store);
      const node = await aNode(store, 1e9);
      const channels = { warning: [], failure: [], recovery: [] };
      const alertSettings = { ...NO_ALERT_SETTINGS, channels, slowSeconds: SLOW_SECONDS };
      const queue = await aQueue(store, teamId, { emailAlerts: true, alertSettings });
      const end = { durationMs: SLOW_MS };
      for (const ending of [{}, { alert: 'failure', status: 'dead_lettered' }] as const) {
        const job = await aClaimedJob(store, teamId, node);
        await store.runs.settle(node, aSettlement(store, job, { end, ...ending }));
      }
      const [failure, slow, ...more] = await runAlerts(store, teamId, { limit: 9 });
      assert.deepEqual(more, []);
      assert.deepEqual([slow?.kind, slow?.delivery, slow?.attemptNumber], ['slow', 'muted', 1]);
      assert.deepEqual([failure?.kind, failure?.delivery], [null, 'pending']);
      assert.equal(await store.queues.delete(teamId, queue.id), 2);
      assert.equal(await store.alerts.findSlowSince(teamId, queue.id, SLOW_SECONDS), null);
    });
  });
});

describe('§6.4 slow runs: limits and reminders', () => {
  test('a changed limit starts again, and without one there are no alerts', async () => {
    const { store, teamId, node, start, run, set } = await aScene(openSqliteTestStore);
    await using _ = store;
    await run(SLOW_MS);
    await set({ slowSeconds: 10 });
    await run(SLOW_MS);
    const anew = 'warning slow: Took 25 s, longer than 10 s.';
    assert.deepEqual(await alertTexts(store, teamId), [BEGUN, anew]);
    const [execution] = await start();
    assert.ok(execution);
    await set({ slowSeconds: null });
    const end = { durationMs: SLOW_MS };
    assert.ok(await store.runs.settle(node, anExecutionSettlement(store, execution, { end })));
    await run(SLOW_MS);
    await run(FAST_MS);
    assert.deepEqual(await alertTexts(store, teamId), [BEGUN, anew]);
  });

  test('reminders of slow runs are sent with the next slow run after their time', async () => {
    const { store, teamId, run, set } = await aScene(openSqliteTestStore);
    await using _ = store;
    await set({ remindHours: 6 });
    for (let n = 0; n < 8; n++) await run(SLOW_MS);
    const [reminder, ...first] = await runAlerts(store, teamId, { limit: 9 });
    assert.deepEqual([reminder?.downMs, first.length], [6 * HOUR_MS, 1]);
  });

  test('slow runs and failures have separate alerts and recoveries', async () => {
    const { store, teamId, cron, run } = await aScene(openSqliteTestStore);
    await using _ = store;
    await editCron(store, cron, { alertThreshold: 1 });
    await run(SLOW_MS, false);
    const [failure, slow] = await runAlerts(store, teamId, { limit: 9 });
    assert.deepEqual([failure?.level, slow?.kind], ['failure', 'slow']);
    assert.ok(failure && slow);
    await run(SLOW_MS);
    const recovered = (alert: typeof slow) =>
      store.alerts.listRecoveredSince(teamId, [cron.id], alert);
    assert.deepEqual([...(await recovered(failure))], [cron.id]);
    assert.deepEqual([...(await recovered(slow))], []);
  });
});

test('a deletion that waits for a slow spell does not lock its cron or queue yet', async () => {
  for (const kind of ['cron', 'queue'] as const) {
    await using store = await openPostgresTestStore();
    const { id: teamId } = await aTeam(store);
    const source = await (kind === 'cron' ? aCron(store, teamId) : aQueue(store, teamId));
    await using holder = await holdRows(store);
    const table = kind === 'cron' ? 'crons' : 'queues';
    await holder.query(`insert into slow_spells select team_id, id, 0, 0, 0, 0 from ${table}`);
    await holder.query('commit');
    await holder.query('begin');
    await holder.query('select 1 from slow_spells for update');
    const deletion = store[table].delete(teamId, source.id);
    await holder.untilSomebodyWaits();
    await holder.query(`select 1 from ${table} for key share nowait`);
    await holder.query('commit');
    assert.ok((await deletion) !== null);
  }
});
