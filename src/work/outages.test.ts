import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findOutages, sumOutages } from './outages.ts';

const MINUTE = 60_000;
const at = (minutes: number) => 1_000_000 * MINUTE + minutes * MINUTE;
const silence = (from: number, to: number | null) => {
  return { at: at(from), nextAt: to === null ? null : at(to) };
};
const outage = (from: number, to: number | null) => {
  return { from: at(from), to: to === null ? null : at(to) };
};

describe('an outage', () => {
  test('an outage starts when the first of at least two missing heartbeats was due', () => {
    assert.deepEqual(findOutages([silence(0, 10), silence(20, 35)], at(36)), [outage(25, 35)]);
  });

  test('an outage lasts while samples are missing, and there is none before the first sample', () => {
    assert.deepEqual(findOutages([silence(0, null)], at(11)), []);
    assert.deepEqual(findOutages([silence(0, null)], at(12)), [outage(5, null)]);
    assert.deepEqual(findOutages([], at(12)), []);
  });

  test('an outage counts in a step as far as it reaches into it', () => {
    const outages = [outage(0, 20), outage(50, null)];
    assert.equal(sumOutages(outages, { from: at(10), to: at(60) }), 20 * MINUTE);
    assert.equal(sumOutages(outages, { from: at(20), to: at(50) }), 0);
  });
});
