import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSize } from './database-size.ts';

test("the report has the database's size, runs and growth", () => {
  assert.equal(
    describeSize({ bytes: 1_500_000_000, endedRuns: 1_000_000, runsOfWeek: 700_000 }),
    '1.5 GB, with about 1,000,000 runs in the history, 1.5 kB for each; ' +
      '100,000 a day in the last seven, 150 MB a day, until as many are deleted (HISTORY_DAYS)',
  );
});

test('the report has no growth if there are fewer than 1,000 runs', () => {
  for (const endedRuns of [0, 999]) {
    const text = describeSize({ bytes: 606_208, endedRuns, runsOfWeek: 9 });
    assert.match(
      text,
      /^606 kB, with about \d+ runs in the history: too few to estimate its growth$/,
    );
  }
  assert.match(describeSize({ bytes: 0, endedRuns: 0, runsOfWeek: 0 }), /^0 bytes, /);
});
