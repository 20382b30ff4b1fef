import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import {
  DEFAULT_RETRY_SCHEDULE,
  formatRetrySchedule,
  parseRetrySchedule,
} from './retry-schedule.ts';

describe('a retry schedule as text (§3.4)', () => {
  test('delays are read with or without a unit, in any case', () => {
    assert.equal(formatRetrySchedule(DEFAULT_RETRY_SCHEDULE), '1m, 30m, 3h');
    for (const [text, seconds] of [
      ['90', [90]],
      [' 5S ,10 m,1H ', [5, 600, 3600]],
      ['1440m,86400s,24h', [86_400, 86_400, 86_400]],
      ['  ', []],
      ['1,2,3,4,5,6,7,8,9,10', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ] as const)
      assert.deepEqual(parseRetrySchedule(text), seconds, text);
  });

  test('delays outside of 1 s to 24 h, more than ten and other texts are no schedule', () => {
    const delays = ['0', '25h', '86401', '-1m', '1.5h', '1e2', '1d', 'm', '1h30m', '9'.repeat(400)];
    for (const text of [
      ...delays,
      ',',
      '1m,',
      '1m,,2m',
      '1m 2m',
      '1m; 2m',
      '1,2,3,4,5,6,7,8,9,10,11',
    ])
      assert.equal(parseRetrySchedule(text), null, text);
  });

  test('a retry schedule reads back as written', () => {
    const schedule = fc.array(fc.integer({ min: 1, max: 86_400 }), { maxLength: 10 });
    fc.assert(
      fc.property(schedule, (seconds) => {
        assert.deepEqual(parseRetrySchedule(formatRetrySchedule(seconds)), seconds);
      }),
    );
  });
});
