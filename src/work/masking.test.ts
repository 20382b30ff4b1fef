import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMask, MASK } from '#domain/runs/masking';
import { maskDeep } from './masking.ts';

const mask = createMask(['card', 'X-Card']);

test('the verdict of an assertion about a masked field has no value, also as configured', () => {
  const assertion = { kind: 'json_path_equals', path: '$["c\\u0061rd"]', expected: '"QZ"' };
  const verdict = { assertion, ok: false, expected: '"QZ"', got: '"QY"' };
  assert.doesNotMatch(JSON.stringify(maskDeep([verdict], mask)), /Q[YZ]/);
  const other = { ...verdict, assertion: { ...assertion, path: '$.name' } };
  assert.deepEqual(maskDeep([other], mask), [other]);
});

test('the change of a header with a masked name has no value', () => {
  const changes = [
    { field: 'headers.x-card', from: null, to: 'QZ' },
    { field: 'headers.X-Other', from: 'a', to: 'b' },
  ];
  const [hidden, other] = maskDeep(changes, mask);
  assert.deepEqual(hidden, { field: 'headers.x-card', from: null, to: MASK });
  assert.deepEqual(other, changes[1]);
});
