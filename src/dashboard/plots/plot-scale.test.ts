import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { buildScale, spaceLabels } from './plot-scale.ts';

describe('axes', () => {
  test('the ticks of an axis are few and whole, from zero to the highest value', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (highest) => {
        const { max, ticks } = buildScale(highest);
        assert.equal(ticks[0], 0);
        assert.ok(max >= highest * (1 - 1e-9));
        assert.ok(ticks.length >= 2 && ticks.length <= 6, String(ticks));
        assert.ok(ticks.every(Number.isInteger), String(ticks));
      }),
    );
  });
});

test('a plot has at most seven labels, or one for each of a few columns', () => {
  assert.equal(spaceLabels(1), 1);
  assert.equal(spaceLabels(7), 1);
  assert.equal(spaceLabels(24), 4);
  assert.equal(spaceLabels(28), 4);
  for (let count = 1; count <= 100; count++) assert.ok(count / spaceLabels(count) <= 7);
});
