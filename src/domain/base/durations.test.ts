import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quantile, summariseDurations, type TimedRun } from './durations.ts';

test('the median and the 95 % are values that occurred', () => {
  const values = Array.from({ length: 100 }, (_, n) => n + 1);
  assert.deepEqual([quantile(values, 0.5), quantile(values, 0.95)], [50, 95]);
  assert.deepEqual([quantile([7], 0.95), quantile([], 0.5)], [7, null]);
});

test('each run counts in the step in which it ended, and no step is left out', () => {
  const run = (completedAt: number, durationMs: number): TimedRun => {
    return { completedAt, durationMs, status: durationMs > 50 ? 'failed' : 'success' };
  };
  const runs = [run(0, 10), run(9, 30), run(10, 99), run(39, 1)];
  const steps = summariseDurations(runs, { from: 0, to: 40, steps: 4 });
  assert.deepEqual(
    steps.map((step) => Object.values(step)),
    [
      [0, 10, 2, 0, 10, 30],
      [10, 20, 1, 1, 99, 99],
      [20, 30, 0, 0, null, null],
      [30, 40, 1, 0, 1, 1],
    ],
  );
});
