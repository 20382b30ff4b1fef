import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  describeDay,
  describeDistance,
  formatExact,
  formatLong,
  formatShort,
  knownZone,
} from './times.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const hour = 3_600_000;

describe('a time in a row', () => {
  test('a time in a row is relative within a day only', () => {
    const distances = [
      [NOW - 1000, 'now'],
      [NOW - 59_000, '59 s ago'],
      [NOW + 5 * 60_000, 'in 5 min'],
      [NOW - 24 * hour + 1, '23 h ago'],
      [NOW - 24 * hour, null],
      [NOW + 24 * hour, null],
    ] as const;
    for (const [at, said] of distances) assert.equal(describeDistance(at, NOW), said);
  });

  test('a time in a row is a UTC time beyond a day, with the year if it differs', () => {
    assert.equal(describeDay(NOW - 44 * hour, NOW), '20 Nov 16:00');
    assert.equal(describeDay(NOW - 400 * 24 * hour, NOW), '18 Oct 2025');
  });

  test('a time in a row follows the chosen time zone', () => {
    assert.equal(formatShort(NOW, 'Europe/Berlin'), '22 Nov 13:00');
    assert.equal(describeDay(NOW - 44 * hour, NOW, 'Asia/Tokyo'), '21 Nov 01:00');
    assert.equal(formatExact(NOW, 'America/New_York'), '2026-11-22 07:00:00');
    assert.equal(formatLong(NOW, 'Asia/Tokyo'), 'Sun, 22 Nov 2026, 21:00:00 (Asia/Tokyo)');
  });
});

test('a time zone is found by its name in any case', () => {
  assert.equal(knownZone('Asia/Tokyo'), 'Asia/Tokyo');
  assert.equal(knownZone(' europe/berlin '), 'Europe/Berlin');
  assert.equal(knownZone('UTC'), 'UTC');
  for (const text of ['', ' ', 'Berlin', 'Mars/Olympus', 'x'.repeat(65)])
    assert.equal(knownZone(text), null, text);
});
