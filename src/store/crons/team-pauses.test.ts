import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#domain/base/ids';
import { aCron, aTeam } from '#testing/factories';
import { forEachStore } from '#testing/stores';
import { add, all, atMost } from '../database/rows.ts';

/** More than one step skips. */
const CRONS = 1_001;

forEachStore((_name, openTestStore) => {
  test('a resumed team skips the passed times of a thousand crons (§3.11)', async () => {
    await using store = await openTestStore();
    const { database, teamPauses } = store;
    const { id: teamId } = await aTeam(store);
    const now = store.clock.now();
    const cron = await aCron(store, teamId, { nextRunAt: now - 1 });
    const [row] = await all(database, 'crons', { id: cron.id });
    assert.ok(row);
    const others = Array.from({ length: CRONS - 1 }, () => ({ ...row, id: newId(now) }));
    for (let n = 0; n < others.length; n += 100)
      await add(database, 'crons', others.slice(n, n + 100));
    await teamPauses.pause(teamId, { at: now, by: 'Ada', until: null });
    assert.equal(await teamPauses.resume(teamId, now), true);
    const passed = { team_id: teamId, next_run_at: atMost(now) };
    assert.deepEqual(await all(database, 'crons', passed, { columns: ['id'] }), []);
    assert.equal(await teamPauses.resume(teamId, now), false);
  });
});
