import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findOutages, placeOutages, sumOutages } from './outages.ts';

const MINUTE = 60_000;
const at = (minutes: number) => 1_000_000 * MINUTE + minutes * MINUTE;
const silence = (from: number, to: number | null) => {
  return { at: at(from), nextAt: to === null ? null : at(to) };
};
const outage = (from: number, to: number | null) => {
  return { from: at(from), to: to === null ? null : at(to) };
};

describe('an outage', () => {
  test('is where two looks or more are missing: from when the first was due until the next', () => {
    assert.deepEqual(findOutages([silence(0, 10), silence(20, 35)], at(36)), [outage(25, 35)]);
  });

  test('goes on where the last look is long ago, and none is where nobody ever looked', () => {
    assert.deepEqual(findOutages([silence(0, null)], at(11)), []);
    assert.deepEqual(findOutages([silence(0, null)], at(12)), [outage(5, null)]);
    assert.deepEqual(findOutages([], at(12)), []);
  });

  test('counts in a step as far as it reaches into it', () => {
    const outages = [outage(0, 20), outage(50, null)];
    assert.equal(sumOutages(outages, { from: at(10), to: at(60) }), 20 * MINUTE);
    assert.equal(sumOutages(outages, { from: at(20), to: at(50) }), 0);
  });
});

describe('an outage in a list', () => {
  const rows = [300, 200, 100].map((minutes) => ({ id: `at ${minutes}`, at: at(minutes) }));
  const known = { newerAt: null, olderAt: null };
  const place = (outages: Parameters<typeof placeOutages>[0], between = {}) =>
    placeOutages(outages, rows, { ...known, ...between }).map(({ from, to, aboveId, times }) => {
      const minutes = (time: number | null) => (time === null ? null : (time - at(0)) / MINUTE);
      return [minutes(from), minutes(to), aboveId, times];
    });

  test('stands between the runs that ended before and after it', () => {
    const outages = [outage(10, 90), outage(110, 190), outage(210, 290), outage(310, null)];
    assert.deepEqual(place(outages), [
      [310, null, 'at 300', 1],
      [210, 290, 'at 200', 1],
      [110, 190, 'at 100', 1],
    ]);
  });

  test('is none where a run ended within it', () => {
    assert.deepEqual(place([outage(110, 210), outage(290, null)]), []);
  });

  test('between two pages stands on the one that was turned to', () => {
    const [before, after] = [outage(40, 80), outage(320, 380)];
    assert.deepEqual(place([before, after], { newerAt: at(400) }), [[320, 380, 'at 300', 1]]);
    assert.deepEqual(place([before, after], { newerAt: at(300), olderAt: at(20) }), [
      [40, 80, null, 1],
    ]);
    assert.deepEqual(place([before, after], { newerAt: at(310) }), []);
  });

  test('is told in one line with others where there are more than three', () => {
    const four = [0, 1, 2, 3].map((n) => outage(210 + 20 * n, 220 + 20 * n));
    assert.deepEqual(place(four), [[210, 280, 'at 200', 4]]);
    assert.equal(place(four.slice(1)).length, 3);
  });
});
