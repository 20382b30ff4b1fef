import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const SOURCES = path.dirname(import.meta.dirname);
const OWNERS = ['store/postgres/', 'store/sqlite/'];

/** Code that asks which database is used. A location's `kind` is a setting and may be compared. */
const ASKS = /\bdialect(\.name)?\)? *(===?|!==?)|(?<!kind )(?<![!=])[!=]==? '(postgres|sqlite)'/;

test('differences between the databases are in their folders only', () => {
  const files = fs
    .readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .filter((file) => !OWNERS.some((owner) => file.startsWith(owner)));
  const asking = files.flatMap((file) => {
    const lines = fs.readFileSync(path.join(SOURCES, file), 'utf8').split('\n');
    return lines.flatMap((line, n) => (ASKS.test(line) ? [`${file}:${n + 1} ${line.trim()}`] : []));
  });
  assert.ok(files.length > 300, `${files.length} files`);
  assert.deepEqual(asking, []);
});
