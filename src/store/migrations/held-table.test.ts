import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { silentLog } from '#domain/log';
import { createDatabase } from '#testing/postgres';
import { eventually } from '#testing/process';
import { openRows } from '#testing/rows';
import { TEST_APP_KEY, TEST_START } from '#testing/stores';
import { openPool, POOLS } from '../postgres/open.ts';
import { openStore } from '../store.ts';
import { migrateToLatest, MIGRATION_NAMES } from './index.ts';

/** A migration that changes a table in use. */
const CHANGES_TEAMS = MIGRATION_NAMES.indexOf('0026-team-pauses');

test('a table that somebody holds for long is changed when they let go, and meanwhile others use it', async () => {
  await using database = await createDatabase();
  const pool = openPool({ url: database.url, onFault: () => {} }, POOLS.migrations);
  const last = MIGRATION_NAMES[CHANGES_TEAMS - 1] ?? '';
  await migrateToLatest(pool.kysely as never, 'postgres', { last });
  await pool.close();
  await using others = await openRows(database.url);
  await using holder = await openRows(database.url);
  await holder.all('begin; select count(*) from teams');

  const told: string[] = [];
  const opening = openStore({
    location: { kind: 'postgres', url: database.url },
    appKey: TEST_APP_KEY,
    clock: new FakeClock(TEST_START),
    log: { ...silentLog, info: (event: string) => void told.push(event) },
    serving: false,
  });
  const waiting = `select 1 from pg_stat_activity where datname = current_database()
    and query like 'alter table "teams"%' and wait_event_type = 'Lock'`;
  await eventually(async () => (await others.all(waiting)).length > 0);
  // It stands behind the change, and the change gives way.
  await others.all('update teams set name = name');
  assert.deepEqual(await others.all(`select 1 from kysely_migration where name > '${last}'`), []);
  await holder.all('commit');
  const store = await opening;
  assert.deepEqual(store.migrated, MIGRATION_NAMES.slice(CHANGES_TEAMS));
  assert.ok(told.includes('database.table-awaited'), told.join());
  await store.close();
});
