import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cutHistory, LEAST_KEPT_MS } from './history-size.ts';
import { DAY_MS } from '../base/instant.ts';

const NOW = Date.UTC(2026, 10, 21);
const OLDEST = NOW - 32 * DAY_MS;

function cut(usedBytes: number, oldestAt: number | null = OLDEST): number | null {
  return cutHistory({ usedBytes, maxBytes: 1000, oldestAt, now: NOW });
}

describe('the cut of a history that is too large', () => {
  test('a history within its limit is not cut', () => {
    assert.deepEqual([cut(0), cut(1000), cut(1001, null)], [null, null, null]);
  });

  test('one cut takes the excess, at least a thirty-second and at most an eighth of the age', () => {
    const days = (used: number) => ((cut(used) ?? 0) - OLDEST) / DAY_MS;
    assert.deepEqual([days(1001), days(1000 / 0.9375), days(1e9)], [1, 2, 4]);
  });

  test('runs of the last hour stay, however large the database is', () => {
    assert.equal(cut(1e12, NOW - LEAST_KEPT_MS + 1), null);
    assert.equal(cut(1e12, NOW - LEAST_KEPT_MS), NOW - LEAST_KEPT_MS);
    assert.equal(cut(1e12, NOW + DAY_MS), null);
  });

  test('each cut reaches the oldest run, so that cuts come to an end', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 40 }),
        fc.integer({ min: -DAY_MS, max: 3650 * DAY_MS }),
        (usedBytes, age) => {
          const at = cut(usedBytes, NOW - age);
          if (at === null) assert.ok(usedBytes <= 1000 || age < LEAST_KEPT_MS);
          else assert.ok(at >= NOW - age && at <= NOW - LEAST_KEPT_MS);
        },
      ),
    );
  });
});
