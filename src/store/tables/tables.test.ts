import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TABLES } from './tables.ts';

/** SQLite reads a row from its start: reading a column after the payload costs reading the payload. */
test('large columns are the last ones of a table, so that lists do not read them', () => {
  const large = new Set(['sealed_headers', 'payload', 'trace', 'body']);
  const found = TABLES.flatMap(({ name, columns }) => {
    const isLarge = Object.keys(columns).map((column) => large.has(column));
    return isLarge.includes(true) ? [{ name, isLarge }] : [];
  });
  const names = new Set(found.map(({ name }) => name));
  for (const table of ['crons', 'ended_executions', 'ended_jobs', 'jobs'])
    assert.ok(names.has(table), table);
  // `callbacks` are read whole.
  for (const { name, isLarge } of found.filter((each) => !each.name.startsWith('callbacks')))
    assert.ok(!isLarge.slice(isLarge.indexOf(true)).includes(false), name);
});
