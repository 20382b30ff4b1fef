import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE_MS } from '#domain/base/instant';
import type { CronEnd } from '#domain/cron/cron-end';
import type { Store } from '#store/store';
import {
  aClaimant,
  aCron,
  anExecutionSettlement,
  aNode,
  aTeam,
  editCron,
} from '#testing/factories';
import { forEachStore, type OpenTestStore, openSqliteTestStore, TEST_START } from '#testing/stores';

async function aScene(openTestStore: OpenTestStore, end: Partial<CronEnd>) {
  const store = await openTestStore();
  const { id: teamId } = await aTeam(store);
  const node = await aNode(store, 1e9);
  const whole = { endsAt: null, maxRuns: null, ...end };
  const cron = await aCron(store, teamId, {
    cronExpression: '* * * * *',
    end: whole,
    nextRunAt: TEST_START + MINUTE_MS,
  });
  const claim = async (in_: Store = store, by = node) =>
    (await in_.runs.claimExecutions([{ id: teamId, slots: 9 }], aClaimant(in_, by))).claimed;
  /** How many runs start in so many minutes. */
  const pass = async (minutes: number) => {
    let started = 0;
    for (let n = 0; n < minutes; n++) {
      await store.testClock.advance(MINUTE_MS);
      for (const run of await claim()) {
        started++;
        await store.runs.settle(node, anExecutionSettlement(store, run));
      }
    }
    return started;
  };
  const read = async () => {
    const found = await store.crons.find(teamId, cron.id);
    assert.ok(found);
    return found;
  };
  const edit = (change: Partial<CronEnd>) =>
    editCron(store, cron, { end: { ...whole, ...change } });
  return { store, teamId, node, cron, claim, pass, read, edit };
}

forEachStore((name, openTestStore) => {
  describe('§3.1 a cron with an end', () => {
    test('a cron runs max_runs times by its schedule, and continues with a greater number', async () => {
      const { store, teamId, cron, pass, read, edit } = await aScene(openTestStore, { maxRuns: 3 });
      await using _ = store;
      await store.crons.addExecution(teamId, cron.id, store.clock.now());
      assert.equal(await pass(6), 4, 'Run now is one more');
      const ended = await read();
      assert.deepEqual([ended.isActive, ended.nextRunAt, ended.runsCounted], [true, null, 3]);
      await store.crons.addExecution(teamId, cron.id, store.clock.now());
      assert.equal(await pass(2), 1, 'Run now goes on');
      await edit({ maxRuns: 5 });
      assert.equal(await pass(6), 2);
      assert.deepEqual([(await read()).nextRunAt, (await read()).runsCounted], [null, 5]);
      await edit({ maxRuns: null });
      assert.equal(await pass(3), 3);
      assert.equal((await read()).runsCounted, 0);
    });

    test('a cron runs at its end time and not after it', async () => {
      const endsAt = TEST_START + 2 * MINUTE_MS;
      const { store, pass, read, edit } = await aScene(openTestStore, { endsAt });
      await using _ = store;
      assert.equal(await pass(5), 2);
      assert.equal((await read()).nextRunAt, null);
      await edit({ endsAt: TEST_START + 60 * MINUTE_MS });
      assert.equal(await pass(2), 2);
      await edit({ endsAt: TEST_START });
      assert.equal(await pass(2), 0);
    });

    test('max_runs is exact if nodes claim at the same moment', async () => {
      const { store, node, claim, read } = await aScene(openTestStore, { maxRuns: 2 });
      await using _ = store;
      // A file of SQLite has one process that claims and settles.
      const other = name === 'postgres' ? await store.openAnother() : store;
      const otherNode = await aNode(other, 1e9);
      let started = 0;
      for (let n = 0; n < 5; n++) {
        await store.testClock.advance(MINUTE_MS);
        const claims = [claim(store, node), claim(other, otherNode), claim(store, node)];
        started += (await Promise.all(claims)).flat().length;
      }
      assert.equal(started, 2);
      assert.equal((await read()).runsCounted, 2);
    });
  });
});

describe('§3.1 a cron with an end: pausing', () => {
  test('a pause keeps the count, and a start after the end starts nothing', async () => {
    const { store, teamId, cron, pass, read } = await aScene(openSqliteTestStore, { maxRuns: 2 });
    await using _ = store;
    const start = () => store.crons.start(teamId, cron.id, store.clock.now());
    assert.equal(await pass(1), 1);
    await store.crons.pause(teamId, cron.id);
    assert.equal(await pass(3), 0);
    await start();
    assert.equal(await pass(3), 1);
    await store.crons.pause(teamId, cron.id);
    await start();
    assert.deepEqual([(await read()).isActive, (await read()).nextRunAt], [true, null]);
  });
});
