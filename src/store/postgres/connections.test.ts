import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '#testing/postgres';
import { measureSurvivors } from '#testing/survivors';
import { openPool, POOLS } from './open.ts';

test('results of Postgres are freed by minor garbage collections', async () => {
  await using own = await createDatabase();
  const database = openPool({ url: own.url, onFault: () => {} }, POOLS.engine);
  const [queries, rows, bytes] = [600, 100, 3_000];
  const text = `select repeat('x', ${bytes}) || n as value from generate_series(1, ${rows}) n`;
  const survived = await measureSurvivors(async (collect) => {
    for (let n = 0; n < queries; n++) {
      await database.autocommit(text);
      if (n % 20 === 0) collect();
    }
  });
  await database.close();
  const received = queries * rows * bytes;
  assert.ok(survived < received / 3, `${survived} of ${received} bytes`);
});
