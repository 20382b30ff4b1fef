/** §3.1: a cron's schedule begins at its start. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE, scheduleCron } from '#testing/scheduling';
import { type StartScene, useScenes } from '#testing/scenes';
import { openSqliteTestStore } from '#testing/stores';

async function sceneOf(start: StartScene, startsInMinutes: number) {
  const scene = await start();
  const { service, receiver } = scene;
  const { work, teamId, clock } = service;
  const { id } = await scheduleCron(service, { url: receiver.url });
  const startsAt = clock.now() + startsInMinutes * MINUTE;
  const nextRunAt = async () => (await work.findCron(teamId, id))?.nextRunAt;
  await work.editCron(teamId, id, { startsAt });
  return { ...scene, work, teamId, clock, id, startsAt, nextRunAt };
}

const start = useScenes(openSqliteTestStore);
describe('§3.1 a cron with a start', () => {
  test('a cron runs at its start time and not before it; Run now works before', async () => {
    const { service, receiver, sent, work, teamId, id, startsAt, nextRunAt } = await sceneOf(
      start,
      10,
    );
    assert.equal(await nextRunAt(), startsAt);
    await service.advance(10 * MINUTE - 1);
    assert.equal(receiver.requests.length, 0);
    await work.runCronNow(teamId, id);
    await sent(1);
    await service.advance(1);
    await sent(2);
    await service.advance(MINUTE);
    await receiver.waitFor(3);
  });

  test('a cron that is started before its start waits for it, after pauses of any kind', async () => {
    const { service, work, teamId, clock, id, startsAt, nextRunAt } = await sceneOf(start, 60);
    await work.pauseCron(teamId, id);
    await work.startCron(teamId, id);
    assert.equal(await nextRunAt(), startsAt);
    await work.pauseCron(teamId, id, clock.now() + 10 * MINUTE);
    await service.advance(10 * MINUTE);
    await service.store.pauseEnds.endDue(clock.now());
    assert.equal(await nextRunAt(), startsAt);
    await work.pauseTeam(teamId, 'Ada');
    await work.resumeTeam(teamId);
    assert.equal(await nextRunAt(), startsAt);
  });

  test('a changed start changes the next run; a start in the past changes nothing', async () => {
    const { service, work, teamId, clock, id, startsAt, nextRunAt } = await sceneOf(start, 60);
    await service.store.crons.correctTimes(() => clock.now());
    assert.equal(await nextRunAt(), startsAt, 'also after the clock was set');
    const next = clock.now() + MINUTE;
    await work.editCron(teamId, id, { startsAt: clock.now() - 60 * MINUTE });
    assert.equal(await nextRunAt(), next);
    await work.editCron(teamId, id, { startsAt: next + 30_000 });
    assert.equal(await nextRunAt(), next + MINUTE);
    await work.editCron(teamId, id, { startsAt: null });
    assert.equal(await nextRunAt(), next);
  });
});
