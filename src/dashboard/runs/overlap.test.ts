import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeOverlap } from './overlap.ts';

const run = (durationMs: number | null) => ({
  id: '',
  status: 'success' as const,
  isRetried: false,
  completedAt: 0,
  durationMs,
  responseStatus: 200,
});
const everyMinute = [0, 60_000, 120_000];

describe('runs of a cron', () => {
  test('runs overlap if one took longer than the time to the next', () => {
    const text = describeOverlap([run(500), run(90_000), run(null)], everyMinute);
    assert.match(text ?? '', /^Runs take up to 1 min 30 s, and one starts every 1 min,/);
  });
  test('runs that ended before the next do not overlap, and a cron without next run has no warning', () => {
    assert.equal(describeOverlap([run(60_000)], everyMinute), null);
    assert.equal(describeOverlap([run(90_000)], []), null);
    assert.equal(describeOverlap([], everyMinute), null);
  });
});
