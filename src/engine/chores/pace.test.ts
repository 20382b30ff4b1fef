import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextSize, sizeAfterFailure } from './pace.ts';

const limits = { first: 500, least: 50, most: 4_000, aimMs: 100 };

describe('the size of a step', () => {
  for (const [what, size, tookMs, next] of [
    ['quick: twice as large', 500, 10, 1_000],
    ['as long as it should take: as large', 500, 100, 500],
    ['three times as long: a third', 600, 300, 200],
    ['never smaller than the least', 60, 60_000, 50],
    ['never larger than the most', 3_000, 1, 4_000],
    ['no time at all', 500, 0, 1_000],
  ] as const) {
    test(what, () => assert.equal(nextSize(limits, size, tookMs), next));
  }

  test('after a failure the step size is a quarter, at least the minimum', () => {
    assert.equal(sizeAfterFailure(limits, 2_000), 500);
    assert.equal(sizeAfterFailure(limits, 60), 50);
  });

  test("the step size converges to the database's speed from any start", () => {
    const msARow = 0.2;
    let size = limits.first;
    for (let n = 0; n < 10; n++) size = nextSize(limits, size, size * msARow);
    assert.equal(size, limits.aimMs / msARow);
  });
});
