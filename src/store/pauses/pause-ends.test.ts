import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aCron, aQueue, aTeam } from '#testing/factories';
import { holdRows } from '#testing/holder';
import { forEachStore, openPostgresTestStore, TEST_START } from '#testing/stores';
import type { Store } from '../store.ts';

const UNTIL = TEST_START + 60_000;
/** More than one look ends. */
const MANY = 130;

/** A queue, a cron and a team that are paused until then. */
async function pauseAll(store: Store, until = UNTIL) {
  const { id: teamId } = await aTeam(store);
  const queue = await aQueue(store, teamId);
  const cron = await aCron(store, teamId, { cronExpression: '*/5 * * * *' });
  await store.queues.update(teamId, queue.id, { isPaused: true, pausedUntil: until });
  await store.crons.pause(teamId, cron.id, until);
  await store.teamPauses.pause(teamId, { at: TEST_START, by: 'Ada', until });
  return { teamId, queueId: queue.id, cronId: cron.id };
}

async function listEnds(store: Store, teamId: string): Promise<string[]> {
  const entries = await store.activity.list(teamId, { limit: 9 });
  return entries.map(({ action, actor }) => `${actor} ${action}`).toSorted();
}

const ALL_ENDED = ['Belfry cron.started', 'Belfry queue.resumed', 'Belfry team.resumed'];

describe('ends of pauses (§3.12)', () => {
  forEachStore((_name, openTestStore, once) => {
    test('pauses end at their time and not before, and the next end is returned', async () => {
      await using store = await openTestStore();
      const { teamId, queueId, cronId } = await pauseAll(store);
      const later = await pauseAll(store, UNTIL + 5);
      assert.equal(await store.pauseEnds.endDue(UNTIL - 1), UNTIL);
      assert.deepEqual(await listEnds(store, teamId), []);
      assert.equal(await store.pauseEnds.endDue(UNTIL), UNTIL + 5);
      assert.deepEqual(await listEnds(store, teamId), ALL_ENDED);
      assert.deepEqual(await listEnds(store, later.teamId), []);
      assert.equal((await store.queues.find(teamId, queueId))?.isPaused, false);
      const cron = await store.crons.find(teamId, cronId);
      assert.deepEqual([cron?.isActive, cron?.nextRunAt], [true, TEST_START + 300_000]);
      assert.equal(await store.teamPauses.read(teamId), null);
      assert.equal(await store.pauseEnds.endDue(UNTIL + 5), null);
    });

    test('a cron whose end has passed stays ended when its pause ends', async () => {
      await using store = await openTestStore();
      const { id: teamId } = await aTeam(store);
      const end = { endsAt: TEST_START + 1, maxRuns: null };
      const { id } = await aCron(store, teamId, { cronExpression: '* * * * *', end });
      await store.crons.pause(teamId, id, UNTIL);
      await store.pauseEnds.endDue(UNTIL);
      const cron = await store.crons.find(teamId, id);
      assert.deepEqual([cron?.isActive, cron?.nextRunAt], [true, null]);
    });

    once('any number of pauses that end together end, and each is recorded once', async () => {
      await using store = await openTestStore();
      const { id: teamId } = await aTeam(store);
      for (let n = 0; n < MANY; n++) {
        const { id } = await aQueue(store, teamId, { name: `q${n}` });
        await store.queues.update(teamId, id, { isPaused: true, pausedUntil: UNTIL });
      }
      assert.equal(await store.pauseEnds.endDue(UNTIL), UNTIL, 'some are left');
      assert.equal(await store.pauseEnds.endDue(UNTIL), null);
      const queues = await store.queues.list(teamId);
      assert.ok(queues.every(({ isPaused }) => !isPaused));
      assert.equal((await store.activity.list(teamId, { limit: 1_000 })).length, MANY);
    });

    test('two processes that end the same pauses at once record each once', async () => {
      await using store = await openTestStore();
      const { teamId } = await pauseAll(store);
      await Promise.all([store.pauseEnds.endDue(UNTIL), store.pauseEnds.endDue(UNTIL)]);
      await store.pauseEnds.endDue(UNTIL);
      assert.deepEqual(await listEnds(store, teamId), ALL_ENDED);
    });
  });

  test('a locked row delays only the pauses of its own team', async () => {
    await using store = await openPostgresTestStore();
    const locked = await pauseAll(store);
    const free = await pauseAll(store);
    {
      await using holder = await holdRows(store);
      await holder.query('select 1 from teams where id = $1 for update', [locked.teamId]);
      assert.equal(await store.pauseEnds.endDue(UNTIL), null);
      assert.deepEqual(await listEnds(store, free.teamId), ALL_ENDED);
      assert.deepEqual(await listEnds(store, locked.teamId), []);
    }
    await store.pauseEnds.endDue(UNTIL);
    assert.deepEqual(await listEnds(store, locked.teamId), ALL_ENDED);
  });
});
