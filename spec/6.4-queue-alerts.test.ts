/** §6.4: alerts about a queue as a whole. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_ALERT_SETTINGS } from '#domain/alerts/alert-settings';
import { HOUR_MS, MINUTE_MS } from '#domain/base/instant';
import { NO_WATCH, type BacklogRule } from '#domain/alerts/queue-watch';
import { BROKEN, OK, startScene } from '#testing/alert-scene';
import { scheduleJob, setQueue } from '#testing/scheduling';
import { openSqliteTestStore } from '#testing/stores';
import type { QueueChange } from '#work/resources/queue';

const backlog = (rule: Partial<BacklogRule>) => ({
  watch: { ...NO_WATCH, backlog: { ...NO_WATCH.backlog, ...rule } },
});
const FAILURE_RATE = { watch: { ...NO_WATCH, failureRate: { percent: 20, attempts: 10 } } };

/** Without an engine, so that due jobs wait until `drain`. */
async function aQueueScene(settings: QueueChange, jobs: number) {
  const scene = await startScene(openSqliteTestStore, { sends: false });
  const { service, target, teamId } = scene;
  target.answer('/job', OK);
  const { id } = await setQueue(service, settings);
  const post = async (count: number) => {
    for (let n = 0; n < count; n++)
      await scheduleJob(service, { queue: 'emails', url: `${target.url}/job` });
  };
  await post(jobs);
  return {
    scene,
    service,
    teamId,
    id,
    post,
    /** In steps of one check. */
    pass: async (minutes: number) => {
      for (let n = 0; n < minutes; n++) await scene.wait(MINUTE_MS);
    },
    drain: async () => {
      await service.engine?.start();
      await service.advance(1);
    },
    health: async () => (await service.work.readQueueRow(teamId, id))?.health,
    words: async () => (await scene.alerts()).map(({ errorMessage }) => errorMessage),
    [Symbol.asyncDispose]: async () => scene[Symbol.asyncDispose](),
  };
}

describe('a queue that does not drain', () => {
  test('an overdue job raises one failure, and one recovery when the queue drains', async () => {
    await using all = await aQueueScene(backlog({ minutes: 10 }), 2);
    const { scene, service, teamId, pass, drain, health } = all;
    await pass(10);
    assert.deepEqual(scene.titles(), []);
    await pass(6);
    assert.deepEqual(scene.titles(), ['Failure: queue “emails” does not drain']);
    const words = (await all.words()).join();
    assert.match(words, /^The oldest job is overdue by 1\d min, limit 10 min\.$/);
    assert.equal(await health(), 'late');
    const [trouble] = (await service.work.readOverview(teamId)).troubles;
    assert.match(trouble?.watchWords ?? '', /overdue by/);
    await drain();
    await pass(3);
    assert.match(
      scene.titles().at(-1) ?? '',
      /^Recovery: queue “emails” drains again after \d+ min$/,
    );
    assert.equal(scene.titles().length, 2);
    assert.equal(await health(), 'idle');
    assert.deepEqual((await service.work.readOverview(teamId)).troubles, []);
    // Members are emailed about failed jobs only.
    assert.equal(scene.smtp.mails.length, 0);
  });

  test('more due jobs than the limit raise one failure; delayed jobs do not count', async () => {
    await using all = await aQueueScene(backlog({ jobs: 3 }), 3);
    const { scene, service, pass, post } = all;
    for (let n = 0; n < 3; n++)
      await scheduleJob(service, { queue: 'emails', url: 'http://127.0.0.1/', delay: 86_000 });
    await pass(5);
    assert.deepEqual(await scene.alerts(), []);
    await post(1);
    await pass(5);
    assert.deepEqual(await all.words(), ['More than 3 jobs due and waiting.']);
  });

  test('a long pause raises one failure, and enabling the queue one recovery', async () => {
    const rule = backlog({ minutes: 1, pausedHours: 2 });
    await using all = await aQueueScene({ ...rule, isPaused: true }, 0);
    const { scene, service, teamId, id, post, health } = all;
    await post(1);
    await scene.wait(HOUR_MS);
    assert.deepEqual([await scene.alerts(), await health()], [[], 'paused']);
    // Another pause of a paused queue does not begin a new one.
    await service.work.pauseQueue(teamId, id);
    await scene.wait(HOUR_MS + 10 * MINUTE_MS);
    assert.match((await all.words()).join(), /^Paused for 2 h( \d+ min)?, longer than 2 h\.$/);
    assert.equal(await health(), 'late');
    await service.work.resumeQueue(teamId, id);
    await all.drain();
    await all.pass(2);
    assert.equal(await scene.levels(), 'failure recovery');
    await service.work.pauseQueue(teamId, id);
    await scene.wait(HOUR_MS);
    assert.equal(await scene.levels(), 'failure recovery');
  });

  test('a maintenance window mutes the alert, which is sent after its end', async () => {
    await using all = await aQueueScene(backlog({ minutes: 5 }), 1);
    const { scene, pass } = all;
    await scene.mute(15);
    await pass(14);
    assert.deepEqual(await scene.deliveries(), ['muted']);
    assert.deepEqual(scene.titles(), []);
    await pass(5);
    assert.deepEqual(await scene.deliveries(), ['muted', 'sent']);
    assert.match(
      scene.titles().join(),
      /^Reminder: queue “emails” still does not drain after \d+ min$/,
    );
  });

  test('an alert of due jobs does not delay the reminder of failed jobs', async () => {
    const alertSettings = { ...NO_ALERT_SETTINGS, remindHours: 1 as const };
    const settings = { ...backlog({ jobs: 1 }), alertSettings, emailAlerts: true };
    await using all = await aQueueScene({ ...settings, retriesEnabled: false }, 1);
    const { scene, service, post } = all;
    scene.target.answer('/job', BROKEN);
    await all.drain();
    await scene.target.waitFor(1);
    await service.quiet();
    await service.engine?.stop(0);
    await scene.wait(30 * MINUTE_MS);
    await post(2);
    await scene.wait(40 * MINUTE_MS);
    const kinds = (await scene.alerts()).map(({ kind }) => kind);
    assert.deepEqual(kinds, [null, 'backlog', 'reminder']);
  });
});

describe('a queue that fails too often', () => {
  async function run(all: Awaited<ReturnType<typeof aQueueScene>>, failed: number, fine: number) {
    const { scene, service, post } = all;
    for (const [count, answer] of [
      [failed, BROKEN],
      [fine, OK],
    ] as const) {
      scene.target.answer('/job', answer);
      const before = scene.target.requests.length;
      await post(count);
      await scene.target.waitFor(before + count);
      // So that the next attempts end later.
      await service.advance(1_000);
    }
  }

  test('a rate above the limit raises one failure, and a low one the recovery', async () => {
    const settings = { ...FAILURE_RATE, retriesEnabled: false };
    await using all = await aQueueScene(settings, 0);
    const { scene, pass, health } = all;
    await all.drain();
    await run(all, 2, 8);
    await pass(3);
    assert.deepEqual(scene.titles(), []);
    await run(all, 3, 0);
    await pass(5);
    assert.deepEqual(scene.titles(), ['Failure: queue “emails” fails too often']);
    assert.deepEqual(await all.words(), ['3 of the last 10 attempts failed, limit 20 %.']);
    await run(all, 0, 5);
    await pass(3);
    assert.equal(await health(), 'failing');
    await run(all, 0, 5);
    await pass(3);
    assert.match(scene.titles().at(-1) ?? '', /^Recovery: queue “emails” fails less often after/);
    assert.equal(await scene.levels(), 'failure recovery');
    assert.equal(await health(), 'idle');
  });

  test('attempts before the rule was set are not judged', async () => {
    await using all = await aQueueScene({ retriesEnabled: false }, 0);
    await all.drain();
    await run(all, 10, 0);
    await all.pass(1);
    await all.service.work.editQueue(all.teamId, all.id, FAILURE_RATE);
    await run(all, 9, 0);
    await all.pass(5);
    assert.deepEqual(await all.scene.alerts(), []);
  });

  test('attempts that the monthly limit stopped raise no alert', async () => {
    await using scene = await startScene(openSqliteTestStore, { plan: 'tiny' });
    const { service, target } = scene;
    await setQueue(service, { ...FAILURE_RATE, retriesEnabled: false });
    for (let n = 0; n < 15; n++)
      await scheduleJob(service, { queue: 'emails', url: `${target.url}/job` });
    await service.advance(1);
    await scene.wait(5 * MINUTE_MS);
    assert.deepEqual(await scene.alerts(), []);
  });
});
