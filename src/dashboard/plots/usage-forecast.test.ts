import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listDaysOfMonth, projectRunOut } from './usage-forecast.ts';

const usage = (used: number, limit: number | null) => ({ plan: 'free', used, limit });

describe('the day a limit would be reached', () => {
  const middle = Date.parse('2026-11-16T00:00:00Z');
  test('follows from the pace of the month so far', () => {
    assert.equal(
      projectRunOut(usage(750, 1000), middle),
      'The limit would be reached on 2026-11-21 (UTC).',
    );
  });
  test('is none where the pace is slow enough', () => {
    assert.equal(projectRunOut(usage(500, 1000), middle), 'The limit is enough for this month.');
    assert.equal(projectRunOut(usage(0, 1000), middle), 'The limit is enough for this month.');
  });
  test('is past once the limit is reached', () => {
    assert.match(projectRunOut(usage(1000, 1000), middle) ?? '', /is reached/);
    assert.match(projectRunOut(usage(0, 0), middle) ?? '', /is reached/);
  });
  test('is not guessed from a few hours', () => {
    assert.match(
      projectRunOut(usage(90, 1000), Date.parse('2026-11-01T03:00:00Z')) ?? '',
      /Too early/,
    );
  });
  test('is nothing without a limit', () =>
    assert.equal(projectRunOut(usage(90, null), middle), null));
});

test('a month has all its days in UTC, whatever the zone of the machine', () => {
  const days = listDaysOfMonth(Date.parse('2028-02-29T23:59:59Z'));
  assert.equal(days.length, 29);
  assert.deepEqual([days[0], days.at(-1)], ['2028-02-01', '2028-02-29']);
});
