import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addCounts, DURATION_BOUNDS, estimateQuantile, stepOf } from './duration-histogram.ts';
import { quantile } from '../base/durations.ts';

function countsOf(durations: readonly number[]): number[] {
  const counts = addCounts([]);
  for (const ms of durations) {
    const at = stepOf(ms);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

describe('durations counted in steps', () => {
  test('an estimate is in the same step as the exact value', () => {
    const durations = fc.array(fc.integer({ min: 0, max: 400_000 }), { minLength: 1 });
    fc.assert(
      fc.property(durations, fc.constantFrom(0.5, 0.95, 1), (all, share) => {
        const sorted = all.toSorted((a, b) => a - b);
        const value = quantile(sorted, share) ?? 0;
        const [from = 0, to] = [
          DURATION_BOUNDS.findLast((bound) => bound < value),
          DURATION_BOUNDS.find((bound) => bound >= value),
        ];
        const estimate = estimateQuantile(countsOf(all), share) ?? -1;
        assert.ok(estimate >= from && estimate <= (to ?? from), `${estimate} for ${value}`);
      }),
    );
  });

  test('the median of many different runs is nearly exact', () => {
    const all = Array.from({ length: 2_000 }, (_, n) => 40 + n / 4);
    const median = estimateQuantile(countsOf(all), 0.5) ?? 0;
    const p95 = estimateQuantile(countsOf(all), 0.95) ?? 0;
    assert.ok(Math.abs(median - 290) < 15, String(median));
    assert.ok(Math.abs(p95 - 515) < 515 / 8, String(p95));
  });

  test('no durations give no estimate, and the last step has a lower bound only', () => {
    assert.equal(estimateQuantile(addCounts([]), 0.5), null);
    assert.equal(estimateQuantile([], 0.95), null);
    assert.equal(estimateQuantile(countsOf([400_000, 900_000]), 0.95), 300_000);
  });

  test('counts of duration steps add up', () => {
    const sum = addCounts([countsOf([1, 5]), countsOf([5, 900_000]), []]);
    assert.deepEqual(sum, countsOf([1, 5, 5, 900_000]));
  });
});
