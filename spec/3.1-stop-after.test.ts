/** §3.1: a cron that stops after a number of failed runs in a row. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startScene } from '#testing/alert-scene';
import {
  aClaimant,
  aCron,
  anExecutionSettlement,
  aNode,
  aTeam,
  runAlerts,
} from '#testing/factories';
import { forEachStore, type OpenTestStore } from '#testing/stores';
import { listSources } from '#work/sources';

const STOPPED = 'Failure: cron “Nightly” was stopped after 3 failed runs in a row';

async function sceneOf(openTestStore: OpenTestStore, stopAfter: number, threshold?: number) {
  const scene = await startScene(openTestStore);
  const { teamId, work } = scene.service;
  const fields = { name: 'Nightly', alert_threshold: threshold ?? null };
  const id = await scene.makeCron({ ...fields, cron_expression: '0 0 1 1 *', is_active: true });
  await work.editCron(teamId, id, { stopAfter });
  const read = async () => (await work.findCron(teamId, id)) ?? assert.fail();
  const stops = async () =>
    (await work.listActivityOf(teamId, id)).filter(({ action }) => action === 'cron.stopped');
  return { scene, teamId, work, id, read, stops, [Symbol.asyncDispose]: () => disposeOf(scene) };
}

const disposeOf = async (scene: AsyncDisposable) => scene[Symbol.asyncDispose]();

forEachStore((dialect, openTestStore, once) => {
  describe('§3.1 a cron that stops by itself', () => {
    test('the third failed run in a row pauses the cron and raises one alert', async () => {
      await using all = await sceneOf(openTestStore, 3);
      const { scene, id, read, stops } = all;
      await scene.run(id, 'xxoxx');
      assert.deepEqual([(await read()).isActive, await scene.levels()], [true, '']);
      await scene.run(id, 'x');
      const { isActive, nextRunAt, stoppedAfter } = await read();
      assert.deepEqual(
        { isActive, nextRunAt, stoppedAfter },
        {
          isActive: false,
          nextRunAt: null,
          stoppedAfter: 3,
        },
      );
      // Run now works as for any paused cron.
      await scene.run(id, 'xx');
      const alerts = await scene.alerts();
      assert.deepEqual(
        alerts.map(({ level, kind, failedRuns }) => [level, kind, failedRuns]),
        [['failure', 'stopped', 3]],
      );
      const [entry, ...more] = await stops();
      assert.deepEqual(more, []);
      assert.deepEqual(
        [entry?.actor, entry?.actorId, entry?.detail],
        ['Belfry', null, 'after 3 failed runs in a row'],
      );
      await scene.allSent();
      assert.deepEqual(scene.titles(), [STOPPED]);
    });

    once('a stopped cron counts from zero after a start and recovers at a success', async () => {
      await using all = await sceneOf(openTestStore, 3);
      const { scene, teamId, work, id, read, stops } = all;
      await scene.run(id, 'xxx');
      const started = await work.startCron(teamId, id);
      assert.deepEqual([started?.isActive, started?.stoppedAfter], [true, null]);
      assert.ok(started?.nextRunAt);
      await scene.run(id, 'xx');
      assert.equal((await read()).isActive, true);
      await scene.run(id, 'x');
      assert.equal((await read()).stoppedAfter, 3);
      assert.equal((await stops()).length, 2);
      // An edit that makes it active is a start too.
      await work.editCron(teamId, id, { isActive: true });
      await scene.run(id, 'xxoxx');
      assert.equal((await read()).isActive, true);
      assert.equal(await scene.levels(), 'failure failure recovery');
    });

    once('a run that stops the cron and reaches the alert threshold raises one alert', async () => {
      await using all = await sceneOf(openTestStore, 3, 3);
      await all.scene.run(all.id, 'xxx');
      const alerts = await all.scene.alerts();
      assert.deepEqual(
        alerts.map(({ level, kind }) => [level, kind]),
        [
          ['warning', null],
          ['failure', 'stopped'],
        ],
      );
    });

    once('a stopped cron is failing until a success, but not in a paused team', async () => {
      await using all = await sceneOf(openTestStore, 1);
      const { scene, teamId, id } = all;
      const { store, work } = scene.service;
      const healthAndCount = async () => [
        (await listSources(store, teamId, 'cron'))[0]?.health,
        (await work.readAttention(teamId)).failingCrons,
      ];
      await scene.run(id, 'x');
      assert.deepEqual(await healthAndCount(), ['failing', 1]);
      await work.pauseTeam(teamId, 'Ada');
      assert.deepEqual(await healthAndCount(), ['paused', 0]);
      await work.resumeTeam(teamId);
      await scene.run(id, 'o');
      assert.deepEqual(await healthAndCount(), ['paused', 0]);
    });

    once('failed runs before a start are not counted, even after a manual pause', async () => {
      await using all = await sceneOf(openTestStore, 3);
      const { scene, teamId, work, id, read } = all;
      await scene.run(id, 'xx');
      await work.pauseCron(teamId, id);
      await scene.run(id, 'xxxx');
      assert.equal((await read()).stoppedAfter, null);
      assert.deepEqual(await scene.alerts(), []);
      await work.startCron(teamId, id);
      await scene.run(id, 'xx');
      assert.equal((await read()).isActive, true);
    });

    test('overlapping runs that two nodes settle at once stop it once', async () => {
      await using store = await openTestStore();
      const { id: teamId } = await aTeam(store);
      const nodes = [await aNode(store), await aNode(store)];
      const cron = await aCron(store, teamId, { stopAfter: 2 });
      const runs = await Promise.all(
        Array.from({ length: 6 }, () =>
          store.crons.addExecution(teamId, cron.id, store.clock.now()),
        ),
      );
      const settlements = [];
      for (const node of nodes) {
        const slots = [{ id: teamId, slots: runs.length / nodes.length }];
        const { claimed } = await store.runs.claimExecutions(slots, aClaimant(store, node));
        assert.equal(claimed.length, runs.length / nodes.length, dialect);
        for (const run of claimed) {
          const failed = anExecutionSettlement(store, run, { status: 'failed' });
          settlements.push(() => store.runs.settle(node, failed));
        }
      }
      await Promise.all(settlements.map(async (settle) => settle()));
      const alerts = await runAlerts(store, teamId, { limit: 10 });
      assert.deepEqual(
        alerts.map(({ kind, failedRuns }) => [kind, failedRuns]),
        [['stopped', 2]],
      );
      const done = await store.activity.list(teamId, { limit: 10 });
      assert.deepEqual(
        done.map(({ action }) => action),
        ['cron.stopped'],
      );
      assert.equal((await store.crons.find(teamId, cron.id))?.stoppedAfter, 2);
    });
  });
});
