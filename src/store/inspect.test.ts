import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#domain/base/instant';
import { ask } from '#testing/ask';
import { aDeadLetter, aNode, aTeam } from '#testing/factories';
import { refreshStatistics } from '#testing/statistics';
import { forEachStore } from '#testing/stores';
import { inspectDatabase } from './inspect.ts';

forEachStore((_name, openTestStore) => {
  test("inspect returns the database's size, its runs and those of the last week", async () => {
    await using store = await openTestStore({ isUnused: true });
    // A server is asked by its own clock.
    store.testClock.jumpTo(Date.now());
    const team = await aTeam(store);
    const node = await aNode(store);
    for (let n = 0; n < 3; n++) await aDeadLetter(store, team.id, node);
    await refreshStatistics(store);
    const sizeAt = async () => {
      const found = await inspectDatabase(store.location, store.clock);
      assert.ok(found.kind === 'found', JSON.stringify(found));
      return found.size;
    };
    const size = await sizeAt();
    assert.ok(size !== null && size.bytes > 100_000, JSON.stringify(size));
    const { bytes, usedBytes, ...counts } = size;
    assert.ok(usedBytes > bytes / 2 && usedBytes <= bytes, `${usedBytes} of ${bytes}`);
    assert.deepEqual(counts, { endedRuns: 3, runsOfWeek: 3 });
    for (const table of ['outcome_hours', 'batch_counts']) {
      const older = `update ${table} set hour = hour - ${8 * DAY_MS}`;
      await ask(store, older);
    }
    assert.equal((await sizeAt())?.runsOfWeek, 0);
  });
});
