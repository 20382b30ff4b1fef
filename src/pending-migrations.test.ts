import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { openPool, POOLS } from '#store/postgres/open';
import { openSqliteHere } from '#store/sqlite/open';
import { migrateToLatest, MIGRATION_NAMES } from '#store/migrations/index';
import { configOf, run } from '#testing/command-line';
import { makeFolder } from '#testing/guard';
import { forEachDatabase } from '#testing/process';
import { openRows } from '#testing/rows';
import type { Config } from './config.ts';
import { realClock } from './real-clock.ts';

const CREATE_USER = 'user create --email a@b.test --password correct-horse --team Acme'.split(' ');
const LAST = MIGRATION_NAMES.at(-1) ?? '';

forEachDatabase((name, makeDatabaseUrl) => {
  const countTables =
    name === 'SQLite'
      ? 'select count(*) as n from sqlite_schema'
      : "select count(*)::int as n from pg_class where relnamespace = 'public'::regnamespace";
  const read = async (url: string, query: string) => {
    await using rows = await openRows(url);
    return await rows.all(query);
  };

  describe('a database with a pending migration', () => {
    for (const argv of [['team', 'list'], CREATE_USER, ['job', 'list', '--team', 'x']]) {
      test(`is refused by ${argv.slice(0, 2).join(' ')} and stays as it is`, async () => {
        const url = await makeDatabaseUrl({ isEmpty: true });
        const config = configOf(url);
        await migrateTo(config, MIGRATION_NAMES.at(-2) ?? '');
        const before = await read(url, countTables);
        const { code, stdout, stderr } = await run(config, argv);
        assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
        assert.equal(
          stderr,
          `belfry: the database is of an earlier version (pending: ${LAST}); run "belfry migrate" after a backup, or use the command of the version that serves it\n`,
        );
        assert.deepEqual(await read(url, countTables), before);
      });
    }

    test('is migrated by migrate, and then takes commands', async () => {
      const config = configOf(await makeDatabaseUrl({ isEmpty: true }));
      await migrateTo(config, MIGRATION_NAMES.at(-2) ?? '');
      assert.deepEqual((await run(config, ['migrate'])).json, { applied: [LAST] });
      assert.equal((await run(config, CREATE_USER)).code, 0);
    });
  });

  describe('an empty database', () => {
    test('is set up by a command that writes', async () => {
      const config = configOf(await makeDatabaseUrl({ isEmpty: true }));
      assert.equal((await run(config, CREATE_USER)).code, 0);
      const { json } = await run(config, ['team', 'list']);
      assert.equal((json as unknown[]).length, 1);
    });

    test('is refused by a command that reads, which makes nothing', async () => {
      const url = await makeDatabaseUrl({ isEmpty: true });
      const { code, stderr } = await run(configOf(url), ['team', 'list']);
      assert.equal(code, 1);
      assert.match(stderr, /^belfry: [^\n]*; start the service, or run "belfry migrate"\.?\n$/);
      if (name === 'Postgres') assert.deepEqual(await read(url, countTables), [{ n: 0 }]);
      else assert.deepEqual(fs.readdirSync(path.dirname(url.slice('sqlite:'.length))), []);
    });
  });
});

test('an empty SQLite file is refused by a command that reads, which makes no key', async () => {
  const folder = makeFolder();
  fs.writeFileSync(path.join(folder, 'belfry.db'), '');
  const config = configOf(`sqlite:${path.join(folder, 'belfry.db')}`);
  assert.equal((await run(config, ['setup-code'])).code, 1);
  assert.deepEqual(fs.readdirSync(folder), ['belfry.db']);
});

async function migrateTo({ database }: Config, last: string): Promise<void> {
  if (database.kind === 'postgres') {
    const pool = openPool({ ...database, onFault: () => {} }, POOLS.migrations);
    await migrateToLatest(pool.kysely as never, 'postgres', { last });
    await pool.close();
  } else if (database.kind === 'sqlite') {
    const { main } = await openSqliteHere(database.path, { clock: realClock });
    await migrateToLatest(main.kysely as never, 'sqlite', { last });
    await main.close();
  }
}
