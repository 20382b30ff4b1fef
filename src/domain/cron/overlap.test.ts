import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findOverlapping } from './overlap.ts';

describe('a run', () => {
  const stretch = (id: string, startedAt: number | null, completedAt: number | null) => {
    return { id, startedAt, completedAt };
  };
  test("a run overlaps an earlier run that hasn't ended", () => {
    const runs = [
      stretch('waits', null, null),
      stretch('beside', 95, 99),
      stretch('long', 30, 100),
      stretch('short', 40, 50),
      stretch('first', 10, 30),
      stretch('after', 100, null),
      stretch('last', 200, 201),
    ];
    assert.deepEqual([...findOverlapping(runs)], ['short', 'beside', 'last']);
  });
  test("a run that starts as the previous one ends doesn't overlap it", () => {
    assert.deepEqual([...findOverlapping([stretch('b', 20, 30), stretch('a', 10, 20)])], []);
    assert.deepEqual([...findOverlapping([])], []);
  });
});
