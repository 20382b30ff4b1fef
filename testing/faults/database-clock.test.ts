import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '#testing/postgres';
import { openRows } from '#testing/rows';
import { fakeDatabaseClock } from './database-clock.ts';

test('the clock of a database steps for every session', async () => {
  await using database = await createDatabase();
  await using clock = await fakeDatabaseClock(database.url);
  await using rows = await openRows(database.url);
  const aheadMs = async (name: string) => {
    const text = `select extract(epoch from ${name}()) * 1000 as now`;
    const [row] = await rows.all<{ now: string }>(text);
    return Number(row?.now) - Date.now();
  };
  for (const name of ['clock_timestamp', 'pg_catalog.clock_timestamp', 'now']) {
    for (const toMs of [0, 3_600_000, -20_000]) {
      await clock.step(toMs);
      const offMs = (await aheadMs(name)) - toMs;
      assert.ok(Math.abs(offMs) < 10_000, `${name} is ${offMs} ms off`);
    }
  }
});
