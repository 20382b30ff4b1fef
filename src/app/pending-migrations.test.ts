import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { BASELINE, type Migration } from '#store/migrations/migrations';
import { configOf, run } from '#testing/command-line';
import { makeFolder } from '#testing/guard';
import { forEachDatabase } from '#testing/process';
import { openRows } from '#testing/rows';

const CREATE_USER = 'user create --email a@b.test --password correct-horse --team Acme'.split(' ');
const LATER: Migration = {
  name: '0002-nicknames',
  run: async (run) => void (await run('alter table teams add column nickname text')),
};
const migrations = [LATER];

forEachDatabase((name, makeDatabaseUrl) => {
  const countTables =
    name === 'SQLite'
      ? 'select count(*) as n from sqlite_schema'
      : "select count(*)::int as n from pg_class where relnamespace = 'public'::regnamespace";
  const read = async (url: string, query: string) => {
    await using rows = await openRows(url);
    return structuredClone(await rows.all(query));
  };

  describe('a database with a pending migration', () => {
    for (const argv of [['team', 'list'], CREATE_USER]) {
      test(`${argv.slice(0, 2).join(' ')} rejects a database with a pending migration and doesn't change it`, async () => {
        const url = await makeDatabaseUrl({ isEmpty: true });
        await run(configOf(url), ['migrate']);
        const { code, stdout, stderr } = await run(configOf(url), argv, { migrations });
        assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
        assert.equal(
          stderr,
          `belfry: the database is of an earlier version (pending: ${LATER.name}); run "belfry migrate" after a backup, or use the command of the version that serves it\n`,
        );
        assert.deepEqual(await read(url, 'select name from migrations'), [{ name: BASELINE }]);
      });
    }

    test('commands run again once migrate has applied the pending migrations', async () => {
      const config = configOf(await makeDatabaseUrl({ isEmpty: true }));
      await run(config, ['migrate']);
      const { json } = await run(config, ['migrate'], { migrations });
      assert.deepEqual(json, { applied: [LATER.name] });
      assert.equal((await run(config, CREATE_USER, { migrations })).code, 0);
    });
  });

  describe('a database of a commit before the first release', () => {
    for (const argv of [CREATE_USER, ['migrate']]) {
      test(`${argv.slice(0, 2).join(' ')} rejects a database from before the first release and doesn't change it`, async () => {
        const url = await makeDatabaseUrl({ isEmpty: true });
        await read(url, 'create table kysely_migration (name text)');
        const before = await read(url, countTables);
        const { code, stdout, stderr } = await run(configOf(url), argv);
        assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
        assert.equal(
          stderr,
          'belfry: the database was made by a commit before the first release, and this version cannot read it; to keep its data, run "belfry team export" with that commit and "belfry team apply" here, on a new database\n',
        );
        assert.deepEqual(await read(url, countTables), before);
      });
    }
  });

  describe('an empty database', () => {
    test('a command that writes sets up an empty database', async () => {
      const config = configOf(await makeDatabaseUrl({ isEmpty: true }));
      assert.equal((await run(config, CREATE_USER)).code, 0);
      const { json } = await run(config, ['team', 'list']);
      assert.equal((json as unknown[]).length, 1);
    });

    test('a command that reads rejects an empty database and creates nothing', async () => {
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
