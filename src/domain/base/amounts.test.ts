import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOf } from './amounts.ts';

test('a count is followed by the singular for exactly one', () => {
  assert.equal(countOf(0, 'job'), '0 jobs');
  assert.equal(countOf(1, 'job'), '1 job');
  assert.equal(countOf(1_234, 'job'), '1,234 jobs');
  assert.equal(countOf(1, 'job is', 'jobs are'), '1 job is');
  assert.equal(countOf(2, 'job is', 'jobs are'), '2 jobs are');
  assert.equal(countOf({ count: 1, isMore: false }, 'job'), '1 job');
  assert.equal(countOf({ count: 1, isMore: true }, 'job'), '1+ jobs');
});
