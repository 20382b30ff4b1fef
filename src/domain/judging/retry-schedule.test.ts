import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import {
  DEFAULT_RETRY_SCHEDULE,
  formatRetrySchedule,
  parseRetrySchedule,
} from './retry-schedule.ts';

describe('a retry schedule as text (§3.4)', () => {
  test('the default reads 1m, 30m, 3h', () => {
    assert.equal(formatRetrySchedule(DEFAULT_RETRY_SCHEDULE), '1m, 30m, 3h');
  });

  const readable: [text: string, seconds: number[]][] = [
    ['1m, 30m, 3h', [60, 1800, 10_800]],
    ['90', [90]],
    [' 5S ,10 m,1H ', [5, 600, 3600]],
    ['24h', [86_400]],
    ['1440m,86400s', [86_400, 86_400]],
    ['', []],
    ['  ', []],
    ['1,2,3,4,5,6,7,8,9,10', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ];
  for (const [text, seconds] of readable) {
    test(`the retry schedule '${text}' is ${JSON.stringify(seconds)}`, () => {
      assert.deepEqual(parseRetrySchedule(text), seconds);
    });
  }

  for (const text of [
    ['0', '0s', '25h', '86401', '1441m', '-1m', '+1m', '1.5h', '1e2', '1d', 'm', '1h30m'],
    [',', '1m,', ',1m', '1m,,2m', '1m 2m', '1m; 2m', '1,2,3,4,5,6,7,8,9,10,11', '１m'],
    ['9'.repeat(400), ' '.repeat(2000)],
  ].flat()) {
    test(`'${text.slice(0, 30)}' is no schedule`, () => {
      assert.equal(parseRetrySchedule(text), null);
    });
  }

  test('a retry schedule reads back as written', () => {
    const schedule = fc.array(fc.integer({ min: 1, max: 86_400 }), { maxLength: 10 });
    fc.assert(
      fc.property(schedule, (seconds) => {
        assert.deepEqual(parseRetrySchedule(formatRetrySchedule(seconds)), seconds);
      }),
    );
  });
});
