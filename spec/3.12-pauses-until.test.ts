/** §3.12: pauses of crons, queues and teams that end by themselves. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '#testing/process';
import { MINUTE, scheduleCron, scheduleJob, SECOND, setQueue } from '#testing/scheduling';
import { type StartScene, useScenes } from '#testing/scenes';
import { openSqliteTestStore } from '#testing/stores';

async function sceneOf(start: StartScene) {
  const { service, receiver } = await start();
  const { work, teamId, clock } = service;
  const entriesOf = async (id: string) => {
    const entries = await work.listActivityOf(teamId, id);
    return entries.map(({ actor, action, detail }) => [actor, action, detail]);
  };
  /** As a process that looks at that time. */
  const look = async () => {
    await service.store.pauseEnds.endDue(clock.now());
    await service.quiet();
  };
  const pass = async (ms: number) => {
    await service.advance(ms);
    await look();
  };
  const inMinutes = (minutes: number) => clock.now() + minutes * MINUTE;
  return { receiver, service, work, teamId, clock, entriesOf, look, pass, inMinutes };
}

const start = useScenes(openSqliteTestStore);
describe('a pause until a time', () => {
  test('a queue that is paused until a time holds its jobs and sends them at that time', async () => {
    const { service, pass, receiver, work, teamId, entriesOf, inMinutes } = await sceneOf(start);
    const { id } = await setQueue(service, {});
    await work.pauseQueue(teamId, id, inMinutes(10));
    await scheduleJob(service, { url: receiver.url });
    await pass(10 * MINUTE - 1);
    assert.equal(receiver.requests.length, 0);
    assert.equal((await work.findQueue(teamId, id))?.isPaused, true);
    await pass(1);
    await receiver.waitFor(1);
    const queue = await work.findQueue(teamId, id);
    assert.deepEqual([queue?.isPaused, queue?.pausedUntil], [false, null]);
    assert.deepEqual(await entriesOf(id), [['Belfry', 'queue.resumed', 'the pause ended']]);
  });

  test('a cron that is paused until a time continues with its next time after that', async () => {
    const { service, pass, receiver, work, teamId, entriesOf, clock } = await sceneOf(start);
    const { id } = await scheduleCron(service, { url: receiver.url });
    const until = clock.now() + 10 * MINUTE + 30 * SECOND;
    await work.pauseCron(teamId, id, until);
    await pass(10 * MINUTE + 30 * SECOND);
    assert.equal(receiver.requests.length, 0);
    const cron = await work.findCron(teamId, id);
    assert.deepEqual([cron?.isActive, cron?.pausedUntil], [true, null]);
    assert.equal((cron?.nextRunAt ?? 0) - clock.now(), 30 * SECOND);
    await pass(30 * SECOND);
    await receiver.waitFor(1);
    assert.equal(receiver.requests.length, 1, 'missed times are not made up for');
    assert.deepEqual(await entriesOf(id), [['Belfry', 'cron.started', 'the pause ended']]);
  });

  test('a team that is paused until a time continues; its own pauses stay', async () => {
    const { service, pass, receiver, work, teamId, inMinutes, clock } = await sceneOf(start);
    const paused = await setQueue(service, { isPaused: true }, 'paused');
    const later = await setQueue(service, {}, 'later');
    await work.pauseQueue(teamId, later.id, inMinutes(20));
    const cron = await scheduleCron(service, { url: `${receiver.url}/cron` });
    const at = clock.now();
    assert.equal(await work.pauseTeam(teamId, 'Ada', inMinutes(10)), true);
    assert.deepEqual(await work.readTeamPause(teamId), { at, by: 'Ada', until: inMinutes(10) });
    for (const queue of ['paused', 'later', 'free'])
      await scheduleJob(service, { url: `${receiver.url}/${queue}`, queue });
    await pass(10 * MINUTE);
    await receiver.waitFor(1);
    assert.equal(await work.readTeamPause(teamId), null);
    assert.equal((await work.findQueue(teamId, paused.id))?.isPaused, true);
    assert.equal((await work.findQueue(teamId, later.id))?.isPaused, true);
    assert.equal((await work.findCron(teamId, cron.id))?.nextRunAt, inMinutes(1));
    assert.deepEqual(
      receiver.requests.map(({ url }) => url),
      ['/free'],
    );
    const [entry] = await work.listActivity(teamId, { area: 'team', withAccess: true, limit: 1 });
    const { actor, action, detail } = entry ?? assert.fail();
    assert.deepEqual([actor, action, detail], ['Belfry', 'team.resumed', 'the pause ended']);
  });

  test('a pause that ended while nothing ran ends at the next start, with times from then', async () => {
    const { service, look, pass, receiver, work, teamId, inMinutes, clock } = await sceneOf(start);
    const { id } = await scheduleCron(service, { url: receiver.url });
    await work.pauseCron(teamId, id, inMinutes(10));
    await work.pauseTeam(teamId, 'Ada', inMinutes(5));
    await service.advance(60 * MINUTE);
    assert.equal(receiver.requests.length, 0);
    assert.equal((await work.findCron(teamId, id))?.isActive, false);
    await look();
    await pass(MINUTE - 1);
    assert.equal(receiver.requests.length, 0, 'no missed run is made up for');
    assert.equal((await work.findCron(teamId, id))?.nextRunAt, clock.now() + 1);
    await pass(1);
    await receiver.waitFor(1);
  });

  test('resuming by hand before the end starts it, and the end changes nothing more', async () => {
    const { service, pass, work, teamId, entriesOf, inMinutes, receiver } = await sceneOf(start);
    const queue = await setQueue(service, {});
    const cron = await scheduleCron(service, { url: receiver.url, cron_expression: '@yearly' });
    await work.pauseQueue(teamId, queue.id, inMinutes(10));
    await work.pauseCron(teamId, cron.id, inMinutes(10));
    await work.pauseTeam(teamId, 'Ada', inMinutes(10));
    await work.resumeQueue(teamId, queue.id);
    await work.startCron(teamId, cron.id);
    await work.resumeTeam(teamId);
    assert.equal((await work.findQueue(teamId, queue.id))?.pausedUntil, null);
    assert.equal((await work.findCron(teamId, cron.id))?.pausedUntil, null);
    // These pauses have no end.
    await work.pauseQueue(teamId, queue.id);
    await work.pauseCron(teamId, cron.id);
    await work.pauseTeam(teamId, 'Ada');
    await pass(20 * MINUTE);
    assert.equal((await work.findQueue(teamId, queue.id))?.isPaused, true);
    assert.equal((await work.findCron(teamId, cron.id))?.isActive, false);
    assert.equal((await work.readTeamPause(teamId))?.until, null);
    assert.deepEqual([await entriesOf(queue.id), await entriesOf(cron.id)], [[], []]);
  });

  test('the running service looks for pauses that have ended', async () => {
    const { service } = await start({ sends: false });
    const { work, teamId, clock } = service;
    await service.start();
    const { id } = await setQueue(service, {});
    await work.pauseQueue(teamId, id, clock.now() + MINUTE);
    await eventually(async () => {
      await clock.advance(SECOND);
      return (await work.findQueue(teamId, id))?.isPaused === false;
    });
  });

  test('a later end replaces the first one, for a team that stays paused by the first person', async () => {
    const { pass, work, teamId, inMinutes } = await sceneOf(start);
    const later = inMinutes(30);
    await work.pauseTeam(teamId, 'Ada', inMinutes(10));
    assert.equal(await work.pauseTeam(teamId, 'Bob', later), true);
    assert.equal(await work.pauseTeam(teamId, 'Bob'), false);
    await pass(20 * MINUTE);
    const pause = await work.readTeamPause(teamId);
    assert.deepEqual([pause?.by, pause?.until], ['Ada', later]);
    await pass(10 * MINUTE);
    assert.equal(await work.readTeamPause(teamId), null);
  });

  test('editing other fields keeps the pause and its end', async () => {
    const { service, work, teamId, inMinutes, receiver } = await sceneOf(start);
    const queue = await setQueue(service, {});
    const cron = await scheduleCron(service, { url: receiver.url });
    const until = inMinutes(10);
    await work.pauseQueue(teamId, queue.id, until);
    await work.pauseCron(teamId, cron.id, until);
    await work.editQueue(teamId, queue.id, { timeoutSeconds: 9 });
    // As forms send them.
    await work.editQueue(teamId, queue.id, { isPaused: true });
    await work.editCron(teamId, cron.id, { name: 'Other', isActive: false });
    assert.equal((await work.findQueue(teamId, queue.id))?.pausedUntil, until);
    assert.equal((await work.findCron(teamId, cron.id))?.pausedUntil, until);
    const active = { isActive: true, pausedUntil: until };
    const started = await work.editCron(teamId, cron.id, active);
    assert.deepEqual([started?.isActive, started?.pausedUntil], [true, null]);
  });
});
