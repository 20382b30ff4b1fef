import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLog } from '#domain/log';
import { FakeClock } from '#demo/fake-clock';
import { createDatabase } from '#testing/postgres';
import { eventually } from '#testing/process';
import { openRows, type Rows } from '#testing/rows';
import { openPostgresTestStore, postgresUrl, TEST_APP_KEY, TEST_START } from '#testing/stores';
import { migrateToLatest, MIGRATION_NAMES } from '../migrations/index.ts';
import { openStore } from '../store.ts';
import { type FoundIndex, planIndex } from './index-steps.ts';
import { openPool, POOLS } from './open.ts';

describe('the plan for an index', () => {
  const step = { name: 'it', table: 'jobs', definition: '(a, b)', columns: 2, replaces: 'old' };
  const right = { isValid: true, columns: 2 };
  const earlier = { isValid: true, columns: 1 };
  const broken = { isValid: false, columns: 2 };
  const plan = (found: Record<string, Omit<FoundIndex, 'name'>>) =>
    planIndex(
      step,
      Object.entries(found).map(([name, { isValid, columns }]) => ({ name, isValid, columns })),
    ).map((action) => Object.values(action).join(' '));

  for (const [state, found, actions] of [
    ['missing: built', {}, ['build it']],
    ['there: left alone', { it: right }, []],
    ['broken off: dropped and built again', { it: broken }, ['drop it', 'build it']],
    [
      'an earlier one: replaced once there is another',
      { it: earlier },
      ['build it_new', 'drop it', 'rename it_new it'],
    ],
    [
      'an earlier one, and its replacement broken off',
      { it: earlier, it_new: broken },
      ['drop it_new', 'build it_new', 'drop it', 'rename it_new it'],
    ],
    [
      'an earlier one, and its replacement there: only the names change',
      { it: earlier, it_new: right },
      ['drop it', 'rename it_new it'],
    ],
    ['only the replacement there', { it_new: right }, ['rename it_new it']],
    [
      'one that it stands in for: dropped once it is there',
      { old: right },
      ['build it', 'drop old'],
    ],
    ['there, beside one that it stands in for', { it: right, old: right }, ['drop old']],
    ['there, with a replacement left over', { it: right, it_new: broken }, ['drop it_new']],
  ] as const) {
    test(state, () => assert.deepEqual(plan(found), actions));
  }
});

describe('indexes that come to a database in use', () => {
  test('are built while others write; two that start at once wait for each other, and the schema is a new one’s', async () => {
    await using old = await openOld();
    const release = await holdBuilding(old.rows);
    const starts = [old.start(), old.start()];
    await old.building();
    await old.rows.all(WRITE);
    await old.rows.all(`update jobs set scheduled_at = 1`);
    await release();
    const stores = await Promise.all(starts);
    assert.deepEqual(
      stores.flatMap(({ migrated }) => migrated),
      MIGRATION_NAMES.slice(-1),
    );
    for (const store of stores) await store.close();
    assert.deepEqual(await old.indexes(), await indexesOfNew());
  });

  test('are built by the next start where one is killed amid them', async () => {
    await using old = await openOld();
    const release = await holdBuilding(old.rows);
    const start = assert.rejects(old.start());
    await old.building();
    await old.rows.all(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'belfry migrations'`);
    await start;
    const left = await old.rows.all('select 1 from pg_index where not indisvalid');
    assert.equal(left.length, 1, 'the build was not cut off');
    await release();
    const store = await old.start();
    assert.deepEqual(store.migrated, []);
    await store.close();
    assert.deepEqual(await old.indexes(), await indexesOfNew());
  });
});

const WRITE = `insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url, created_at,
  scheduled_at) select id, id, id, 1, id, 'pending', 'POST', 'http://target.example', 0, 0
  from (select gen_random_uuid() as id) as made`;

/**
 * A database without the indexes that are built beside others, and without the last migration. Older ones may change
 * the table that a test holds.
 */
async function openOld() {
  const database = await createDatabase();
  const pool = openPool({ url: database.url, onFault: () => {} }, POOLS.migrations);
  await migrateToLatest(pool.kysely as never, 'postgres', { last: MIGRATION_NAMES.at(-2) ?? '' });
  await pool.close();
  const rows = await openRows(database.url);
  const running = `select 1 from pg_stat_activity where datname = current_database()
    and query like 'create index concurrently%' and wait_event_type = 'Lock'`;
  return {
    rows,
    start: () =>
      openStore({
        location: { kind: 'postgres', url: database.url },
        appKey: TEST_APP_KEY,
        clock: new FakeClock(TEST_START),
        log: silentLog,
        serving: false,
      }),
    building: () => eventually(async () => (await rows.all(running)).length > 0),
    indexes: () => listIndexes(rows),
    [Symbol.asyncDispose]: async () => {
      await rows[Symbol.asyncDispose]();
      await database.drop();
    },
  };
}

/** Begins a transaction that has written; every build of an index waits for its end. */
async function holdBuilding(rows: Rows): Promise<() => Promise<unknown>> {
  const [place] = await rows.all<{ url: string }>(
    `select 'postgres://' || current_user || '@127.0.0.1:' || inet_server_port() || '/' || current_database() as url`,
  );
  const other = await openRows(place?.url ?? '');
  await other.all(`begin; ${WRITE}`);
  return async () => {
    await other.all('commit');
    await other[Symbol.asyncDispose]();
  };
}

async function listIndexes(rows: Rows): Promise<string[]> {
  const found = await rows.all<{ text: string }>(`select indexdef || i.indisvalid as text
    from pg_indexes join pg_index i on i.indexrelid = indexname::regclass
    where schemaname = 'public' order by indexname`);
  return found.map(({ text }) => text);
}

async function indexesOfNew(): Promise<string[]> {
  await using store = await openPostgresTestStore({ isEmpty: true });
  await using rows = await openRows(postgresUrl(store));
  return await listIndexes(rows);
}
