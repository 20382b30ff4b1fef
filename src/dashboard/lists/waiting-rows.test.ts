import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mergeRows } from './waiting-rows.ts';

describe('rows that come in while a list is open', () => {
  /** The shown rows, how many wait, and how many of those shown are no longer on the page. */
  const merge = (shown: string, fresh: string, hasMore = false) => {
    const merged = mergeRows(Array.from(shown), Array.from(fresh), {
      keyOf: (row) => row,
      hasMore,
    });
    return `${merged.shown.join('')} ${merged.waiting} ${merged.left}`;
  };

  test('new rows on top wait and the others stay in place', () =>
    assert.equal(merge('abc', 'xyabc'), 'abc 2 0'));
  test('removed rows make room at the end', () =>
    assert.equal(merge('abc', 'acde', true), 'acde 0 0'));
  test('rows of a previously empty list are shown at once', () =>
    assert.equal(merge('', 'ab', true), 'ab 0 0'));
  test('rows that new ones pushed off the page stay', () => {
    assert.equal(merge('abc', 'xyab', true), 'abc 2 1');
    assert.equal(merge('abc', 'xyza', true), 'abc 3 2');
    assert.equal(merge('abc', 'wxyz', true), 'abc 4 3');
  });
  test('removed rows from the middle do not stay with pushed-off rows', () =>
    assert.equal(merge('abcd', 'xac', true), 'acd 1 1'));
  test('a page that holds the whole list shows all rows', () => {
    assert.equal(merge('abc', 'xa'), 'a 1 0');
    assert.equal(merge('abc', 'xyz'), 'xyz 0 0');
    assert.equal(merge('abc', ''), ' 0 0');
  });
  test('a row takes its new state in its place', () => {
    const row = (id: string, state: string) => ({ id, state });
    const shown = [row('a', 'old'), row('b', 'old')];
    const fresh = [row('x', 'new'), row('a', 'new')];
    const merged = mergeRows(shown, fresh, { keyOf: ({ id }) => id, hasMore: true });
    assert.deepEqual(merged.shown, [row('a', 'new'), row('b', 'old')]);
  });

  test('a busy list never loses or gains rows, however many come in at once', () => {
    for (let step = 1; step <= 12; step++) {
      const pageAt = (newest: number) => Array.from({ length: 10 }, (_, n) => newest - n);
      let { shown } = mergeRows<number>([], pageAt(100), { keyOf: String, hasMore: true });
      for (let newest = 100 + step; newest < 200; newest += step) {
        ({ shown } = mergeRows(shown, pageAt(newest), { keyOf: String, hasMore: true }));
        assert.deepEqual(shown, pageAt(100));
      }
    }
  });
});
