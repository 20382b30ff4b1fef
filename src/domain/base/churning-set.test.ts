import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { measureSurvivors } from '#testing/survivors';
import { ChurningSet } from './churning-set.ts';

describe('a set of short-lived items', () => {
  test('items are removed in any order, and once', () => {
    const set = new ChurningSet<ReturnType<typeof newItem>>();
    const items = Array.from({ length: 5 }, newItem);
    for (const item of items) set.add(item);
    const order = [2, 4, 0, 1].flatMap((n) => items[n] ?? []);
    for (const [n, item] of order.entries()) {
      assert.equal(set.delete(item), true);
      assert.equal(set.delete(item), false);
      const left = items.filter((each) => !order.slice(0, n + 1).includes(each));
      assert.deepEqual([new Set(set), set.size], [new Set(left), left.length]);
    }
    for (const item of order) set.add(item);
    assert.deepEqual([new Set(set), set.size], [new Set(items), 5]);
  });

  test('removed items are freed by minor garbage collections', async () => {
    const [items, bytes, present] = [50_000, 2_000, 500];
    const survived = await measureSurvivors(async (collect) => {
      const set = new ChurningSet<ReturnType<typeof newItem>>();
      const inOrder: ReturnType<typeof newItem>[] = [];
      for (let n = 0; n < items; n++) {
        const item = newItem(bytes);
        set.add(item);
        inOrder.push(item);
        const oldest = n < present ? undefined : inOrder.shift();
        if (oldest) set.delete(oldest);
        if (n % 1_000 === 0) {
          await setImmediate();
          collect();
        }
      }
    });
    assert.ok(survived < (items * bytes) / 3, `${survived} of ${items * bytes} bytes`);
  });
});

function newItem(bytes = 0) {
  return { setIndex: -1, content: Array.from({ length: bytes / 8 }, () => 0.5) };
}
