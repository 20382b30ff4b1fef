import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clickRow, keepExisting, nothingSelected, selectPage } from './selection.ts';

const order = ['a', 'b', 'c', 'd', 'e'];
const idsOf = ({ ids }: { ids: ReadonlySet<string> }) => [...ids].sort().join('');

describe('choosing rows', () => {
  test('a shift-click gives all rows from the last clicked one its own new state', () => {
    const first = clickRow(nothingSelected, 'b', { order, withShift: false, checked: true });
    const range = clickRow(first, 'd', { order, withShift: true, checked: true });
    assert.equal(idsOf(range), 'bcd');
    const upwards = clickRow(range, 'c', { order, withShift: true, checked: false });
    assert.equal(idsOf(upwards), 'b');
  });
  test('a shift-click without a row clicked before chooses that row alone', () => {
    assert.equal(
      idsOf(clickRow(nothingSelected, 'd', { order, withShift: true, checked: true })),
      'd',
    );
  });
  test('any click on a row ends the selection of all that match', () => {
    const everything = { ...selectPage(order, true), everything: true };
    assert.equal(
      clickRow(everything, 'a', { order, withShift: false, checked: false }).everything,
      false,
    );
  });
  test('removed rows are no longer selected', () => {
    const kept = keepExisting(selectPage(order, true), ['b', 'x']);
    assert.equal(idsOf(kept), 'b');
    assert.equal(
      keepExisting({ ...selectPage(order, true), everything: true }, []).everything,
      false,
    );
  });
});
