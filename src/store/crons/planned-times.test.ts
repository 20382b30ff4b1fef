import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '#domain/base/instant';
import { aCron, aTeam } from '#testing/factories';
import { forEachStore } from '#testing/stores';
import type { Database } from '../database/database.ts';
import { all, change } from '../database/rows.ts';
import { correctPlannedTimes } from './planned-times.ts';

forEachStore((_name, openTestStore) => {
  test('a cron that was changed since it was read keeps its next time', async () => {
    await using store = await openTestStore();
    const { database } = store;
    const { id: teamId } = await aTeam(store);
    const now = store.clock.now();
    const nextRunAt = now + 30 * HOUR_MS;
    const crons = [];
    for (let n = 0; n < 4; n++) crons.push(await aCron(store, teamId, { nextRunAt }));
    const [edited, postponed, paused, same] = crons.map(({ id }) => ({ id }));
    assert.ok(edited && postponed && paused && same);
    const between = {
      read: database.read.bind(database),
      transact: async (work: Parameters<Database['transact']>[0]) => {
        await change(database, 'crons', edited, { cron_expression: '5 4 * * *' });
        await change(database, 'crons', postponed, { next_run_at: nextRunAt + 1 });
        await change(database, 'crons', paused, { is_active: 0, next_run_at: null });
        return database.transact(work);
      },
    } as Database;
    const ignore = () => {};
    assert.equal(await correctPlannedTimes(between, () => now, ignore), 1);
    const rows = await all(database, 'crons', { team_id: teamId }, { order: ['id'] });
    const times = rows.map(({ next_run_at }) => next_run_at);
    assert.deepEqual(times, [nextRunAt, nextRunAt + 1, null, now + HOUR_MS]);
  });
});
