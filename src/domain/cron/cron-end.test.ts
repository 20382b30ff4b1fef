import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE_MS } from '../base/instant.ts';
import { describeEnd, hasEnded, keepCount, NO_END, timesWithinEnd, withinEnd } from './cron-end.ts';

const AT = Date.parse('2026-12-31T18:00:00Z');

describe('§3.1 the end of a cron', () => {
  test('a time at the end is still run, and none after it', () => {
    const end = { endsAt: AT, maxRuns: null };
    assert.equal(withinEnd(AT, end, 0), AT);
    assert.equal(withinEnd(AT + MINUTE_MS, end, 0), null);
  });

  test('a cron ends after its number of runs', () => {
    const end = { endsAt: null, maxRuns: 3 };
    assert.equal(withinEnd(AT, end, 2), AT);
    assert.equal(withinEnd(AT, end, 3), null);
    const times = [1, 2, 3, 4].map((n) => AT + n * MINUTE_MS);
    assert.deepEqual(timesWithinEnd(times, end, 1), times.slice(0, 2));
  });

  test('of an end time and a number of runs the first counts, and without both there is no end', () => {
    const end = { endsAt: AT, maxRuns: 3 };
    assert.equal(withinEnd(AT - MINUTE_MS, end, 3), null);
    assert.equal(withinEnd(AT + MINUTE_MS, end, 0), null);
    assert.equal(withinEnd(AT, NO_END, 1_000_000), AT);
    assert.equal(withinEnd(null, NO_END, 0), null);
  });

  test('a changed number of runs continues the count, a new one starts at zero', () => {
    const [three, five] = [3, 5].map((maxRuns) => ({ endsAt: null, maxRuns }));
    assert.ok(three && five);
    assert.equal(keepCount(three, five, 3), 3);
    assert.equal(keepCount(NO_END, three, 3), 0);
    assert.equal(keepCount(three, NO_END, 3), 0);
  });

  test('an active cron without a next time is ended; a paused cron is paused', () => {
    assert.equal(hasEnded({ isActive: true, nextRunAt: null }), true);
    assert.equal(hasEnded({ isActive: true, nextRunAt: AT }), false);
    assert.equal(hasEnded({ isActive: false, nextRunAt: null }), false);
  });

  test('the end of a cron is described in words', () => {
    assert.equal(describeEnd({ endsAt: AT, maxRuns: 10 }), '2026-12-31 18:00 UTC or 10 runs');
    assert.equal(describeEnd({ endsAt: AT + 5_000, maxRuns: null }), '2026-12-31 18:00:05 UTC');
    assert.equal(describeEnd({ endsAt: null, maxRuns: 1 }), '1 run');
    assert.equal(describeEnd(NO_END), 'none');
  });
});
