import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatInstant } from './instant.ts';

test('an instant is written in UTC, without the fraction of its second', () => {
  assert.equal(formatInstant(Date.UTC(2026, 11, 31, 23, 59, 59, 999)), '2026-12-31T23:59:59+00:00');
});
