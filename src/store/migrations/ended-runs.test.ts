import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { openSqliteTestStore } from '#testing/stores';

/** SQLite reads a row from its start: reading a column after the payload costs reading the payload. */
test('what lists ask of a run that has ended stands before what is big of it', async () => {
  await using store = await openSqliteTestStore();
  const columnsOf = async (table: string) => {
    const rows = await store.database.autocommit(
      CompiledQuery.raw(`select name from pragma_table_info('${table}')`),
    );
    return rows.map((row) => (row as { name: string }).name);
  };
  const big = ['sealed_headers', 'payload', 'trace', 'body'];
  assert.deepEqual((await columnsOf('ended_jobs')).slice(-big.length), big);
  assert.deepEqual((await columnsOf('ended_executions')).slice(-2), ['trace', 'body']);
});
