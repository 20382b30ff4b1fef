/** §3.1: a cron's schedule begins at its start. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startReceiver } from '#testing/receiver';
import { MINUTE, scheduleCron } from '#testing/scheduling';
import { startService } from '#testing/service';
import { forEachStore, type OpenTestStore } from '#testing/stores';

async function sceneOf(openTestStore: OpenTestStore, startsInMinutes: number) {
  const receiver = await startReceiver();
  const service = await startService(openTestStore);
  const { work, teamId, clock } = service;
  const { id } = await scheduleCron(service, { url: receiver.url });
  const startsAt = clock.now() + startsInMinutes * MINUTE;
  const nextRunAt = async () => (await work.findCron(teamId, id))?.nextRunAt;
  await work.editCron(teamId, id, { startsAt });
  const dispose = async () => {
    await service[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  };
  const parts = { receiver, service, work, teamId, clock, id, startsAt, nextRunAt };
  return Object.assign(parts, { [Symbol.asyncDispose]: dispose });
}

forEachStore((_dialect, openTestStore) => {
  describe('§3.1 a cron with a start', () => {
    test('a cron runs at its start time and not before it; Run now works before', async () => {
      await using scene = await sceneOf(openTestStore, 10);
      const { service, receiver, work, teamId, id, startsAt, nextRunAt } = scene;
      assert.equal(await nextRunAt(), startsAt);
      await service.advance(10 * MINUTE - 1);
      assert.equal(receiver.requests.length, 0);
      await work.runCronNow(teamId, id);
      await receiver.waitFor(1);
      await service.quiet();
      await service.advance(1);
      await receiver.waitFor(2);
      await service.quiet();
      await service.advance(MINUTE);
      await receiver.waitFor(3);
    });

    test('a cron that is started before its start waits for it, after pauses of any kind', async () => {
      await using scene = await sceneOf(openTestStore, 60);
      const { service, work, teamId, clock, id, startsAt, nextRunAt } = scene;
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
      await using scene = await sceneOf(openTestStore, 60);
      const { work, teamId, clock, id, nextRunAt } = scene;
      const next = clock.now() + MINUTE;
      await work.editCron(teamId, id, { startsAt: clock.now() - 60 * MINUTE });
      assert.equal(await nextRunAt(), next);
      await work.editCron(teamId, id, { startsAt: next + 30_000 });
      assert.equal(await nextRunAt(), next + MINUTE);
      await work.editCron(teamId, id, { startsAt: null });
      assert.equal(await nextRunAt(), next);
    });

    test('a start after the end leaves no run', async () => {
      await using scene = await sceneOf(openTestStore, 60);
      const { work, teamId, id, startsAt, nextRunAt } = scene;
      await work.editCron(teamId, id, { end: { endsAt: startsAt - 1, maxRuns: null } });
      assert.equal(await nextRunAt(), null);
    });

    test('computing times again after the clock was set keeps the start', async () => {
      await using scene = await sceneOf(openTestStore, 60);
      const { service, clock, startsAt, nextRunAt } = scene;
      await service.store.crons.correctTimes(() => clock.now());
      assert.equal(await nextRunAt(), startsAt);
    });
  });
});
