import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Log, silentLog } from '#domain/base/log';
import { createDatabase } from '#testing/postgres';
import { eventually } from '#testing/process';
import { openRows } from '#testing/rows';
import {
  forEachServedStore,
  lendSqliteFile,
  openLocation,
  openPostgresTestStore,
  postgresUrl,
  type TestStore,
} from '#testing/stores';
import { ddlOf } from '../tables/ddl.ts';
import { TABLES } from '../tables/tables.ts';
import { BASELINE, type Migration } from './migrations.ts';

const ADD_COLUMN: Migration = {
  name: '0002-nicknames',
  run: async (run) => void (await run('alter table teams add column nickname text')),
};

/** As docs/contributing.md says: an interrupted build leaves an invalid index, which the next attempt drops. */
const ADD_INDEX: Migration = {
  name: '0003-teams-by-nickname',
  isOnline: true,
  run: async (run, dialect) => {
    const online = dialect === 'postgres' ? 'concurrently' : '';
    await run(`drop index ${online} if exists teams_by_nickname`);
    await run(`create index ${online} teams_by_nickname on teams (nickname)`);
  },
};

const LATER = [ADD_COLUMN, ADD_INDEX];
const LATER_NAMES = LATER.map(({ name }) => name);

describe('migrations', () => {
  test('the baseline is named by the tables, so a database with other tables is refused', () => {
    const texts = (['sqlite', 'postgres'] as const).flatMap((dialect) =>
      TABLES.flatMap((table) => ddlOf(table, dialect)),
    );
    const hash = createHash('sha256').update(texts.join(';')).digest('hex').slice(0, 8);
    assert.equal(BASELINE, `0001-baseline-${hash}`, 'change its name in migrations.ts');
  });

  forEachServedStore((name, openTestStore) => {
    test('a new database gets its tables and counts later migrations as applied', async () => {
      await using store = await openTestStore({ isEmpty: true, migrations: LATER });
      assert.deepEqual(store.migrated, [BASELINE, ...LATER_NAMES]);
      const again = await store.openAnother({ migrations: LATER });
      assert.deepEqual(again.migrated, []);
      // They were not run: the declarations of the tables contain them.
      await assert.rejects(all(again, 'select nickname from teams'));
    });

    test('processes that start together create an empty database once', async () => {
      const { location, drop } = await lendEmpty(name);
      const stores = await Promise.all([
        openLocation(location),
        openLocation(location),
        openLocation(location),
      ]);
      assert.deepEqual(
        stores.flatMap((store) => store.migrated),
        [BASELINE],
      );
      for (const store of stores) await store.close();
      await drop();
    });

    test('processes that start together apply later migrations once, in order', async () => {
      await using store = await openTestStore({ isUnused: true });
      const migrations = LATER;
      const opened = await Promise.all([
        store.openAnother({ migrations }),
        store.openAnother({ migrations }),
      ]);
      const migrated = opened.flatMap((each) => each.migrated);
      assert.deepEqual(migrated.toSorted(), LATER_NAMES);
      await all(store, "select nickname from teams where nickname = ''");
      const recorded = await all(store, 'select name from migrations order by name');
      assert.deepEqual(
        recorded.map((row) => row['name']),
        [BASELINE, ...LATER_NAMES],
      );
    });

    test('a migration that fails changes nothing, and the next start runs it again', async () => {
      await using store = await openTestStore({ isUnused: true });
      const failing: Migration = {
        name: ADD_COLUMN.name,
        run: async (run, dialect) => {
          await ADD_COLUMN.run(run, dialect);
          throw new Error('the power went out');
        },
      };
      await assert.rejects(store.openAnother({ migrations: [failing] }), /the power went out/);
      await assert.rejects(all(store, 'select nickname from teams'));
      const again = await store.openAnother({ migrations: LATER });
      assert.deepEqual(again.migrated, LATER_NAMES);
    });
  });

  describe('on Postgres', () => {
    test('an index is built beside writes, and again if the build is interrupted', async () => {
      await using store = await openPostgresTestStore({ isUnused: true });
      const openLater = () => store.openAnother({ migrations: LATER });
      await using rows = await openRows(postgresUrl(store));
      await using writer = await openRows(postgresUrl(store));
      await store.openAnother({ migrations: [ADD_COLUMN] });
      // The build waits for this transaction.
      await writer.all(`begin; insert into teams (id, name, plan, created_at)
        values (gen_random_uuid(), 'a', 'free', 0)`);
      const interrupted = assert.rejects(openLater());
      const building = `select pid from pg_stat_activity where datname = current_database()
        and query like 'create index concurrently%' and wait_event_type = 'Lock'`;
      await eventually(async () => (await rows.all(building)).length > 0);
      await rows.all(`insert into teams (id, name, plan, created_at)
        values (gen_random_uuid(), 'b', 'free', 0)`);
      await rows.all(`select pg_terminate_backend(pid) from (${building}) as found`);
      await interrupted;
      const isValid = `select indisvalid from pg_index
        where indexrelid = to_regclass('teams_by_nickname')`;
      assert.deepEqual(await rows.all(isValid), [{ indisvalid: false }]);
      await writer.all('commit');
      const again = await openLater();
      assert.deepEqual(again.migrated, [ADD_INDEX.name]);
      assert.deepEqual(await rows.all(isValid), [{ indisvalid: true }]);
    });

    test('a change waits until others release the table, and lets them use it meanwhile', async () => {
      await using store = await openPostgresTestStore({ isUnused: true });
      await using others = await openRows(postgresUrl(store));
      await using holder = await openRows(postgresUrl(store));
      await holder.all('begin; select count(*) from teams');
      const events: string[] = [];
      const log: Log = { ...silentLog, info: (event: string) => void events.push(event) };
      const opening = store.openAnother({ migrations: [ADD_COLUMN], log });
      const waiting = `select 1 from pg_stat_activity where datname = current_database()
        and query like 'alter table teams%' and wait_event_type = 'Lock'`;
      await eventually(async () => (await others.all(waiting)).length > 0);
      // This statement stands behind the change, which gives up.
      await others.all('update teams set name = name');
      await holder.all('commit');
      const opened = await opening;
      assert.deepEqual(opened.migrated, [ADD_COLUMN.name]);
      assert.deepEqual(events, ['database.table-awaited']);
    });
  });
});

async function lendEmpty(name: 'sqlite' | 'postgres') {
  if (name === 'sqlite') return lendSqliteFile({ isEmpty: true });
  const database = await createDatabase();
  const location = { kind: 'postgres', url: database.url } as const;
  return { location, drop: () => database.drop() };
}

function all(
  { database }: Pick<TestStore, 'database'>,
  text: string,
): Promise<Record<string, unknown>[]> {
  return database.autocommit<Record<string, unknown>>(text);
}
