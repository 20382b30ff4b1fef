import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatInstant } from './instant.ts';

test('an instant is written in UTC, to the second', () => {
  assert.equal(formatInstant(Date.UTC(2026, 10, 20, 9, 5, 0)), '2026-11-20T09:05:00+00:00');
});

test('fractions of a second are cut off, never rounded up', () => {
  assert.equal(formatInstant(Date.UTC(2026, 11, 31, 23, 59, 59, 999)), '2026-12-31T23:59:59+00:00');
});
