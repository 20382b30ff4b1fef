/** §6.6: maintenance windows that pause runs. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { one } from '#store/database/rows';
import { WEEK_MS } from '#domain/team/maintenance';
import {
  executionsOf,
  MINUTE,
  scheduleCron,
  scheduleJob,
  SECOND,
  setQueue,
  restartEngine,
} from '#testing/scheduling';
import { type StartScene, useScenes } from '#testing/scenes';
import { openSqliteTestStore } from '#testing/stores';

async function sceneOf(start: StartScene) {
  const scene = await start();
  const { service } = scene;
  const { work, teamId, clock } = service;
  /** From so many minutes after now, for ten minutes. */
  const makeWindow = async (inMinutes: number, more: object = {}) => {
    const startsAt = clock.now() + inMinutes * MINUTE;
    const times = { startsAt, endsAt: startsAt + 10 * MINUTE, isWeekly: false };
    const window = { name: 'Upgrade', ...times, pausesRuns: true, covers: 'team' as const };
    const outcome = await work.createWindow(teamId, { ...window, ...more });
    if (outcome.kind !== 'done') return assert.fail(outcome.kind);
    return outcome.window;
  };
  return { ...scene, work, teamId, clock, makeWindow };
}

const pathsOf = (receiver: { requests: readonly { url: string }[] }) =>
  receiver.requests.map(({ url }) => url).toSorted();

const start = useScenes(openSqliteTestStore);
describe('a maintenance window that pauses runs', () => {
  test('jobs that are due in the window wait and are sent at its end', async () => {
    const { service, receiver, makeWindow, work, teamId } = await sceneOf(start);
    await makeWindow(0);
    await setQueue(service, { concurrencyLimit: 5 }, 'limited');
    for (const queue of ['free', 'limited'])
      await scheduleJob(service, { url: `${receiver.url}/${queue}`, queue, delay: 120 });
    await service.advance(10 * MINUTE - 1);
    assert.equal(receiver.requests.length, 0);
    const [row] = (await work.listQueueRows(teamId)).rows;
    assert.deepEqual([row?.health, row?.queue.isPaused], ['paused', false]);
    await service.advance(SECOND);
    await receiver.waitFor(2);
    assert.deepEqual(pathsOf(receiver), ['/free', '/limited']);
    await service.quiet();
    assert.equal((await work.listQueueRows(teamId)).rows[0]?.health, 'idle');
  });

  test('a cron skips its times in the window, also the first one, and runs at its end', async () => {
    const { service, receiver, sent, makeWindow, clock } = await sceneOf(start);
    const { id } = await scheduleCron(service, { url: receiver.url });
    const window = await makeWindow(2);
    await service.advance(MINUTE);
    await sent(1);
    for (let minute = 2; minute < 12; minute++) await service.advance(MINUTE);
    assert.equal(receiver.requests.length, 1);
    await service.advance(MINUTE);
    await sent(2);
    assert.equal(clock.now(), window.endsAt);
    const runs = await executionsOf(service, id);
    assert.deepEqual(
      runs.map(({ scheduledFor }) => scheduledFor),
      [window.startsAt - MINUTE, window.endsAt],
    );
  });

  test('a window that passed while nothing ran skips its times; later missed ones run once', async () => {
    const { service, receiver, makeWindow, clock } = await sceneOf(start);
    const { id } = await scheduleCron(service, { url: receiver.url });
    const window = await makeWindow(1);
    await service.engine?.stop(0);
    await clock.advance(30 * MINUTE);
    await using again = await restartEngine(service);
    await clock.advance(SECOND);
    await receiver.waitFor(1);
    await again.quiet();
    const runs = await executionsOf(service, id);
    assert.deepEqual(
      runs.map(({ scheduledFor }) => scheduledFor),
      [window.endsAt],
    );
  });

  test('skipped times do not count towards max_runs, and Run now works in the window', async () => {
    const { service, receiver, makeWindow, work, teamId } = await sceneOf(start);
    const { id } = await scheduleCron(service, { url: receiver.url });
    await work.editCron(teamId, id, { end: { endsAt: null, maxRuns: 1 } });
    await makeWindow(0);
    await service.advance(3 * MINUTE);
    const cron = await work.findCron(teamId, id);
    assert.deepEqual([cron?.runsCounted, cron?.isActive], [0, true]);
    await work.runCronNow(teamId, id);
    await receiver.waitFor(1);
  });

  test('only covered crons and queues pause, in every week of a weekly window', async () => {
    const { service, receiver, makeWindow, work, teamId } = await sceneOf(start);
    const queue = await setQueue(service, {}, 'covered');
    const covered = await scheduleCron(service, {
      url: `${receiver.url}/covered`,
      cron_expression: '@yearly',
    });
    const covers = [
      { kind: 'queue', id: queue.id },
      { kind: 'cron', id: covered.id },
    ];
    await makeWindow(0, { isWeekly: true, covers });
    await service.advance(11 * MINUTE);
    await service.engine?.stop(0);
    await service.clock.advance(WEEK_MS - 10 * MINUTE);
    await using again = await restartEngine(service);
    await scheduleJob(service, { url: `${receiver.url}/covered`, queue: 'covered' });
    await scheduleJob(service, { url: `${receiver.url}/other`, queue: 'other' });
    await receiver.waitFor(1);
    await again.quiet();
    await service.advance(8 * MINUTE);
    assert.deepEqual(pathsOf(receiver), ['/other']);
    await service.advance(MINUTE + SECOND);
    await receiver.waitFor(2);
    assert.equal((await work.findQueue(teamId, queue.id))?.isPaused, false);
  });

  test('deleting, shortening or changing the window sends waiting jobs at once', async () => {
    const { service, receiver, sent, makeWindow, work, teamId, clock } = await sceneOf(start);
    const edits: ((window: Awaited<ReturnType<typeof makeWindow>>) => Promise<unknown>)[] = [
      ({ id }) => work.deleteWindow(teamId, id),
      (window) => work.editWindow(teamId, window.id, { ...window, pausesRuns: false }),
      (window) => work.editWindow(teamId, window.id, { ...window, endsAt: clock.now() }),
    ];
    for (const [n, edit] of edits.entries()) {
      const window = await makeWindow(-1);
      await scheduleJob(service, { url: receiver.url });
      await service.advance(1);
      assert.equal(receiver.requests.length, n);
      await edit(window);
      await sent(n + 1);
    }
  });

  test('overlapping windows pause until the last one ends, and ended ones cost no claim', async () => {
    const { service, receiver, sent, makeWindow, teamId } = await sceneOf(start);
    await makeWindow(0);
    await makeWindow(5);
    await scheduleJob(service, { url: receiver.url });
    await service.advance(15 * MINUTE - 1);
    assert.equal(receiver.requests.length, 0);
    await service.advance(SECOND);
    await sent(1);
    await service.store.windows.notifyEnds();
    const team = await one(service.store.database, 'teams', { id: teamId });
    assert.equal(team?.pausing_windows, null);
  });
});
