import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdBackNewRows } from './waiting-rows.ts';

describe('rows that come in while a list is open', () => {
  const hold = (fresh: string, known: string) => {
    const { shown, waiting } = holdBackNewRows(Array.from(fresh), new Set(known), (row) => row);
    return `${shown.join('')} ${waiting}`;
  };
  test('new ones on top wait, the rest stays in place', () =>
    assert.equal(hold('xyabc', 'abc'), 'abc 2'));
  test('rows that left make room at the end', () => assert.equal(hold('acde', 'abc'), 'acde 0'));
  test('a list that was empty still lets new rows wait for nobody', () =>
    assert.equal(hold('ab', ''), 'ab 0'));
  test('where all known rows have left, everything is new', () =>
    assert.equal(hold('xyz', 'abc'), ' 3'));
});
