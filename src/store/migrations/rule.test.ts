import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forEachStore } from '#testing/stores';
import { MIGRATION_NAMES } from './index.ts';

/**
 * Checks what the version before relies on (docs/guides/upgrade.md): it continues to run beside the first node of
 * a new version, on the new schema.
 */
function findBreaches(migrations: readonly (readonly string[])[]): string[] {
  const old = new Set<string>();
  const breaches: string[] = [];
  for (const statements of migrations) {
    const made = statements.flatMap((sql) => /^create table "?(\w+)/i.exec(sql)?.[1] ?? []);
    breaches.push(...statements.filter((sql) => breaks(sql, old)));
    for (const table of made) old.add(table);
  }
  return breaches;
}

function breaks(sql: string, old: ReadonlySet<string>): boolean {
  const table = /^(?:alter|drop) table (?:if exists )?"?(\w+)/i.exec(sql)?.[1];
  if (table !== undefined && old.has(table)) {
    const takesAway = /^drop|\b(drop column|rename|alter column|add constraint)\b/i.test(sql);
    const needsValue = /\badd column\b(?=.*\bnot null\b)(?!.*\bdefault\b)/i.test(sql);
    return takesAway || needsValue;
  }
  const narrowed = /^create unique index .* on "?(\w+)/i.exec(sql)?.[1];
  return narrowed !== undefined && old.has(narrowed);
}

/** Finds indexes that a migration builds on an existing table: Postgres blocks writes to it until the build ends. */
function findStops(migrations: readonly (readonly string[])[]): string[] {
  const old = new Set<string>();
  return migrations.flatMap((statements) => {
    const made = statements.flatMap((sql) => /^create table "?(\w+)/i.exec(sql)?.[1] ?? []);
    const isOld = (sql: string) =>
      old.has(/^create (?:unique )?index (?!concurrently).* on "?(\w+)/i.exec(sql)?.[1] ?? '');
    const stops = statements.filter(isOld);
    for (const table of made) old.add(table);
    return stops;
  });
}

describe('migrations', () => {
  forEachStore((name, openTestStore) => {
    test('leave the version before everything that it reads and writes', async () => {
      const migrations: string[][] = [[]];
      await using _store = await openTestStore({
        isEmpty: true,
        onStatement: ({ sql }) => {
          const text = sql.trim().replaceAll(/\s+/g, ' ');
          if (/^insert into (?:"\w+"\.)?"?kysely_migration/i.test(text)) migrations.push([]);
          else migrations.at(-1)?.push(text);
        },
      });
      assert.ok(migrations.length > MIGRATION_NAMES.length, 'they were not seen');
      assert.ok(migrations[0]?.some((sql) => sql.startsWith('create table')));
      const applied = migrations.slice(0, MIGRATION_NAMES.length);
      assert.deepEqual(findBreaches(applied), []);
      if (name === 'postgres') {
        assert.deepEqual(findStops(applied), [], 'belongs into postgres-indexes.ts');
        const apart = migrations.slice(MIGRATION_NAMES.length).flat();
        assert.ok(apart.some((sql) => sql.startsWith('create index')));
      }
    });
  });

  for (const [what, sql] of [
    ['removes a table', 'drop table "jobs"'],
    ['removes a column', 'alter table "jobs" drop column "url"'],
    ['renames', 'alter table "jobs" rename column "url" to "address"'],
    ['narrows a column', 'alter table "jobs" alter column "url" set not null'],
    ['asks for a value', 'alter table "jobs" add column "place" text not null'],
    ['narrows rows', 'create unique index "one" on "jobs" ("url")'],
  ] as const) {
    test(`one that ${what} would be found`, () => {
      assert.deepEqual(findBreaches([['create table "jobs" ("id" text)'], [sql]]), [sql]);
      assert.deepEqual(findBreaches([['create table "jobs" ("id" text)', sql]]), []);
    });
  }

  test('a column with a default, an index and a table may be added', () => {
    const added = [
      'alter table "jobs" add column "place" text',
      'alter table "jobs" add column "place" text default \'x\' not null',
      'create index "some" on "jobs" ("url")',
      'create table "places" ("id" text)',
      'drop index "others"',
    ];
    assert.deepEqual(findBreaches([['create table "jobs" ("id" text)'], added]), []);
  });

  test('one that would stop writes to a table on Postgres would be found', () => {
    const index = 'create index "some" on "jobs" ("url")';
    const table = 'create table "jobs" ("id" text)';
    assert.deepEqual(findStops([[table], [index]]), [index]);
    assert.deepEqual(findStops([[table, index]]), []);
    assert.deepEqual(findStops([[table], [index.replace('index', 'index concurrently')]]), []);
  });
});
