import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cutPage } from './cut-page.ts';

describe('a page of a list', () => {
  const rows = (...ids: string[]) => ids.map((id) => ({ id }));
  test('a page of a list links to older rows while there are more', () => {
    assert.deepEqual(cutPage(rows('d', 'c', 'b'), {}, 2), {
      rows: rows('d', 'c'),
      next: 'c',
      previous: null,
    });
    assert.deepEqual(cutPage(rows('b', 'a'), { before: 'c' }, 2), {
      rows: rows('b', 'a'),
      next: null,
      previous: 'b',
    });
  });
  test('a page whose rows are gone links back', () =>
    assert.deepEqual(cutPage([], { before: 'c' }, 2), { rows: [], next: null, previous: 'c' }));
  test('a page of a list links back, and to newer rows while there are more', () => {
    assert.deepEqual(cutPage(rows('e', 'd', 'c'), { after: 'b' }, 2), {
      rows: rows('d', 'c'),
      next: 'c',
      previous: 'd',
    });
    assert.deepEqual(cutPage(rows('d', 'c'), { after: 'b' }, 2).previous, null);
    assert.deepEqual(cutPage([], { after: 'b' }, 2), { rows: [], next: null, previous: null });
  });
});
