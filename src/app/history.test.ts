import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLog } from '#domain/base/log';
import { watchClock } from '#engine/chores/clock-jumps';
import { forEachStore, type TestStore } from '#testing/stores';
import { prepareHistory } from './history.ts';

describe('a start by a clock that is a year ahead', () => {
  forEachStore((name, openTestStore) => {
    test('a start with the clock a year ahead deletes no history, and neither does the next start', async () => {
      await using store = await openTestStore();
      const prepare = async () => {
        const clockJumps = watchClock(store.clock, silentLog);
        await prepareHistory({ store, log: silentLog, historyDays: 30, clockJumps });
        return clockJumps.blocksDeletions();
      };
      assert.equal(await prepare(), false);
      await store.depths.look(store.clock.now());
      const before = await countPartitions(store);
      assert.equal(before > 0, name === 'postgres');
      store.testClock.jumpTo(store.clock.now() + 365 * 86_400_000);
      for (let start = 0; start < 3; start++) {
        assert.equal(await prepare(), true);
        assert.equal(await countPartitions(store), before);
        await store.depths.look(store.clock.now());
        await store.testClock.advance(15 * 60_000);
      }
      await store.testClock.advance(60 * 60_000);
      assert.equal(await prepare(), false);
    });
  });
});

async function countPartitions(store: TestStore): Promise<number> {
  if (store.dialect === 'sqlite') return 0;
  const found = await store.database.autocommit(
    `select 1 from pg_inherits where inhparent = 'ended_jobs'::regclass`,
  );
  return found.length;
}
