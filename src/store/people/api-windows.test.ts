import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgresTestStore, TEST_START } from '#testing/stores';

const LENGTH_MS = 60_000;

test('requests that arrive together are counted one by one in few commits', async () => {
  const ran: string[] = [];
  await using store = await openPostgresTestStore({ onStatement: ({ sql }) => ran.push(sql) });
  const countEach = (address: string) =>
    Array.from({ length: 50 }, () => store.apiWindows.countHit(address, TEST_START, LENGTH_MS));
  const [a, b] = await Promise.all(
    ['192.0.2.1', '192.0.2.2'].map((address) => Promise.all(countEach(address))),
  );
  const expected = Array.from({ length: 50 }, (_, n) => ({ openedAt: TEST_START, hits: n + 1 }));
  assert.deepEqual(a, expected);
  assert.deepEqual(b, expected);
  const statements = ran.filter((sql) => sql.includes('count-api-hits'));
  assert.equal(statements.length, 1);
});

test('a request after the window’s end opens the next one', async () => {
  await using store = await openPostgresTestStore();
  const count = (now: number) => store.apiWindows.countHit('192.0.2.1', now, LENGTH_MS);
  await count(TEST_START);
  const inside = TEST_START + LENGTH_MS - 1;
  assert.deepEqual(await count(inside), { openedAt: TEST_START, hits: 2 });
  const after = TEST_START + LENGTH_MS;
  assert.deepEqual(await count(after), { openedAt: after, hits: 1 });
});
