import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AlertSettings, NO_ALERT_SETTINGS } from '#domain/alerts/alert-settings';
import type { SeenCertificate } from '#domain/http/certificate';
import { DAY_MS, MINUTE_MS } from '#domain/base/instant';
import type { Store } from '#store/store';
import {
  aClaimedJob,
  aCron,
  alertTexts,
  aNode,
  aQueue,
  aSettlement,
  aTeam,
  editCron,
  runAlerts,
  runCron,
  settleAtOnce,
} from '#testing/factories';
import { forEachStore, type OpenTestStore, TEST_START } from '#testing/stores';
import { all } from '../database/rows.ts';

const END = TEST_START + 20 * DAY_MS;
const OLD: SeenCertificate = { host: 'a.example', endsAt: END, endsSoon: true };
const NEW: SeenCertificate = { host: 'a.example', endsAt: END + 90 * DAY_MS, endsSoon: false };
const ON: AlertSettings = { ...NO_ALERT_SETTINGS, certificates: true };

async function aScene(openTestStore: OpenTestStore, alertSettings = ON) {
  const store = await openTestStore();
  const { id: teamId } = await aTeam(store);
  const node = await aNode(store, 1e10);
  const cron = await aCron(store, teamId, { alertSettings });
  /** A run now whose new connection shows the certificate; null: no new connection. */
  const run = (certificate: SeenCertificate | null, in_: Store = store) =>
    runCron(in_, node, cron, { certificate });
  const shown = () => store.certificates.listOfSource(teamId, cron.id);
  const set = (certificates: boolean, url = cron.url) =>
    editCron(store, cron, { url, alertSettings: { ...cron.alertSettings, certificates } });
  return { store, teamId, node, cron, run, shown, set };
}

const WARNED = 'warning certificate: The certificate of a.example ends at 2026-12-11 12:00 UTC.';

forEachStore((_, openTestStore) => {
  describe('§6.4 certificates of targets', () => {
    test('a certificate that ends soon raises one alert, also if the host shows a later one in turn', async () => {
      const { store, teamId, cron, run, shown } = await aScene(openTestStore);
      await using _ = store;
      for (let n = 0; n < 2; n++) {
        await run(OLD);
        await store.testClock.advance(2 * DAY_MS);
        await run(OLD);
        assert.deepEqual(await shown(), [{ host: 'a.example', endsAt: END }]);
        await run(NEW);
        assert.deepEqual(await shown(), []);
      }
      assert.deepEqual(await alertTexts(store, teamId), [WARNED]);
      const [alert] = await runAlerts(store, teamId, { limit: 9 });
      assert.deepEqual(alert?.source, { kind: 'cron', id: cron.id, name: cron.name });
      assert.equal(alert.delivery, 'pending');
      await run({ ...OLD, endsAt: NEW.endsAt + 1 });
      assert.deepEqual(await shown(), [{ host: 'a.example', endsAt: NEW.endsAt + 1 }]);
      assert.equal((await alertTexts(store, teamId)).length, 2, 'one that ends soon, too');
    });

    test('a certificate raises an alert only with the setting, within a day after it is turned on', async () => {
      const { store, teamId, run, shown, set } = await aScene(openTestStore, NO_ALERT_SETTINGS);
      await using _ = store;
      await run(OLD);
      assert.equal((await shown()).length, 1);
      assert.deepEqual(await alertTexts(store, teamId), []);
      await set(true);
      await store.testClock.advance(DAY_MS);
      await run(OLD);
      assert.deepEqual(await alertTexts(store, teamId), [WARNED]);
    });

    test('runs that two nodes settle at once raise one alert', async () => {
      const { store, teamId, cron } = await aScene(openTestStore);
      await using _ = store;
      await settleAtOnce(store, cron, { certificate: OLD });
      assert.deepEqual(await alertTexts(store, teamId), [WARNED]);
    });

    test('another URL or a deletion removes the certificates of a cron', async () => {
      const { store, teamId, cron, run, shown, set } = await aScene(openTestStore);
      await using _ = store;
      await run(OLD);
      await set(true);
      assert.equal((await shown()).length, 1);
      await set(true, 'https://b.example/');
      assert.deepEqual(await shown(), []);
      await run(OLD);
      await store.crons.delete(teamId, cron.id);
      assert.deepEqual(await all(store.database, 'ending_certificates', {}), []);
    });

    test('a queue with very many hosts keeps 20 certificates and warns of these', async () => {
      const { store, teamId, node } = await aScene(openTestStore);
      await using _ = store;
      const queue = await aQueue(store, teamId, { alertSettings: ON });
      const jobs = [];
      for (let n = 0; n < 30; n++) jobs.push(await aClaimedJob(store, teamId, node));
      for (const half of [jobs.slice(0, 15), jobs.slice(15)]) {
        const ends = half.map((job) => {
          const certificate = { ...OLD, host: `${job.id}.example` };
          return store.runs.settle(node, aSettlement(store, job, { certificate }));
        });
        await Promise.all(ends);
      }
      assert.equal((await store.certificates.listOfSource(teamId, queue.id)).length, 20);
      const alerts = await runAlerts(store, teamId, { limit: 99 });
      assert.equal(alerts.length, 20);
      assert.deepEqual(alerts[0]?.source, { kind: 'queue', id: queue.id, name: queue.name });
    });

    test('runs that agree with the known certificates need no statement about them', async () => {
      const statements: string[] = [];
      const { store, teamId, node, run } = await aScene((options) =>
        openTestStore({ ...options, onStatement: ({ sql }) => void statements.push(sql) }),
      );
      await using _ = store;
      const settle = async (certificate: SeenCertificate) => {
        const job = await aClaimedJob(store, teamId, node);
        statements.length = 0;
        await store.runs.settle(node, aSettlement(store, job, { certificate }));
        return statements.filter((sql) => sql.includes('ending_certificates')).length;
      };
      await run(OLD);
      assert.ok((await settle(OLD)) > 0);
      // Reads what this process has just written.
      assert.equal(await settle(OLD), 1);
      assert.equal(await settle(OLD), 0);
      assert.equal(await settle({ ...NEW, host: 'b.example' }), 0);
      await store.testClock.advance(MINUTE_MS);
      assert.equal(await settle(OLD), 1);
    });
  });
});
