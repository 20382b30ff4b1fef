import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSize, exceeds } from './database-size.ts';

const LARGE = {
  bytes: 1_500_000_000,
  usedBytes: 1_500_000_000,
  endedRuns: 1_000_000,
  runsOfWeek: 700_000,
};

test("the report has the database's size, runs and growth, and none for fewer than 1,000 runs", () => {
  assert.equal(
    describeSize(LARGE, null),
    '1.5 GB, with about 1,000,000 runs in the history, 1.5 kB for each; ' +
      '100,000 a day in the last seven, 150 MB a day, until as many are deleted (HISTORY_DAYS)',
  );
  const small = { bytes: 606_208, usedBytes: 606_208, endedRuns: 999, runsOfWeek: 9 };
  assert.equal(
    describeSize(small, null),
    '606 kB, with about 999 runs in the history: too few to estimate its growth',
  );
});

test('the report has the limit, and the space that deletions have freed', () => {
  const size = { ...LARGE, usedBytes: 1_000_000_000 };
  assert.equal(
    describeSize(size, 2 ** 30),
    '1.0 GB of 1.1 GB (HISTORY_MAX_MB), 500 MB more free to use, with about 1,000,000 runs in the history, ' +
      '1.0 kB for each; 100,000 a day in the last seven, 100 MB a day, ' +
      'until as many are deleted (HISTORY_DAYS, HISTORY_MAX_MB)',
  );
});

test('the limit is exceeded from a tenth more on', () => {
  const isOver = (maxBytes: number | null) => exceeds(LARGE, maxBytes);
  assert.deepEqual([null, 1.4e9, 1.3e9].map(isOver), [false, false, true]);
});
