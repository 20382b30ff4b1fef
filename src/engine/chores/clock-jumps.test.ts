import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '#domain/base/instant';
import { silentLog } from '#domain/base/log';
import { FakeClock } from '#demo/fake-clock';
import { watchClock } from './clock-jumps.ts';

const START = Date.parse('2026-03-01T00:00:00Z');

function watch() {
  const clock = new FakeClock(START);
  const warnings: unknown[] = [];
  const log = {
    ...silentLog,
    warn: (event: string, fields = {}) => warnings.push([event, fields]),
  };
  return { clock, warnings, jumps: watchClock(clock, log) };
}

describe('a clock', () => {
  test('passing time is never taken for a clock jump', async () => {
    const { clock, warnings, jumps } = watch();
    for (let day = 0; day < 40; day++) {
      await clock.advance(DAY_MS);
      assert.equal(jumps.blocksDeletions(), false);
    }
    assert.deepEqual(warnings, []);
  });

  test('a clock that jumps ahead by a day is trusted after an hour and logged once', async () => {
    const { clock, warnings, jumps } = watch();
    clock.jumpTo(START + DAY_MS);
    assert.equal(jumps.blocksDeletions(), true);
    await clock.advance(HOUR_MS - 1);
    assert.equal(jumps.blocksDeletions(), true);
    assert.deepEqual(warnings, [['clock.jumped', { days: 1, deletesNothingForMinutes: 60 }]]);
    await clock.advance(1);
    assert.equal(jumps.blocksDeletions(), false);
    assert.equal(warnings.length, 1);
  });

  test('a clock that is set ahead by less than a day, or back, is trusted', () => {
    const { clock, warnings, jumps } = watch();
    for (const ms of [DAY_MS - 1, -400 * DAY_MS]) {
      clock.jumpTo(START + ms);
      assert.equal(jumps.blocksDeletions(), false);
    }
    assert.deepEqual(warnings, []);
  });

  test('at a start the clock is compared with the last run of the service', () => {
    for (const [lastRanAt, blocksDeletions] of [
      [null, false],
      [START - HOUR_MS, false],
      [START - DAY_MS + 1, false],
      [START - DAY_MS, true],
      [START - 400 * DAY_MS, true],
      [START + DAY_MS, false],
    ] as const) {
      const { jumps } = watch();
      jumps.compareWith(lastRanAt);
      assert.equal(jumps.blocksDeletions(), blocksDeletions, String(lastRanAt));
    }
  });
});
