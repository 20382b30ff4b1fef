import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const SOURCES = path.dirname(import.meta.dirname);
const OWNERS = ['store/postgres/', 'store/sqlite/', 'store/sql/'];
/** The files that put the store together. */
const ASSEMBLY = ['store/store.ts', 'store/inspect.ts', 'store/backups.ts'];

/** Code that asks which database is used. A location's `kind` is a setting and may be compared. */
const ASKS = /\bdialect(\.name)?\)? *(===?|!==?)|(?<!kind )(?<![!=])[!=]==? '(postgres|sqlite)'/;

/** A use of the code that opens one of the databases. */
const OPENS = /(from|import\() ?'(#store|\.\.?|\.\.\/\.\.)\/(postgres|sqlite)\//;

test('differences between the databases are in their folders only', () => {
  assert.deepEqual(findLines(ASKS), []);
});

test('only the assembly imports the code that opens a database', () => {
  assert.deepEqual(
    findLines(OPENS).filter((line) => !ASSEMBLY.some((file) => line.startsWith(`${file}:`))),
    [],
  );
});

function findLines(pattern: RegExp): string[] {
  const files = fs
    .readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .filter((file) => !OWNERS.some((owner) => file.startsWith(owner)));
  assert.ok(files.length > 300, `${files.length} files`);
  return files.flatMap((file) => {
    const lines = fs.readFileSync(path.join(SOURCES, file), 'utf8').split('\n');
    return lines.flatMap((line, n) =>
      pattern.test(line) ? [`${file}:${n + 1} ${line.trim()}`] : [],
    );
  });
}
