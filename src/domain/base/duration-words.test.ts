import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeDuration, formatMilliseconds } from './duration-words.ts';

test('durations are shown in two units at most, and measured ones exactly while they are short', () => {
  const shown: [number, string][] = [
    [0, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [90_000, '1 min 30 s'],
    [7_500_000, '2 h 5 min'],
    [97_265_000, '1 d 3 h'],
  ];
  for (const [ms, text] of shown) assert.equal(describeDuration(ms), text);
  const measured: [number, string][] = [
    [85, '85 ms'],
    [1240, '1.2 s'],
    [15_000, '15 s'],
    [125_000, '2 min 5 s'],
    [119_700, '2 min'],
  ];
  for (const [ms, text] of measured) assert.equal(formatMilliseconds(ms), text);
});
