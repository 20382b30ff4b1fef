import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_END } from '../cron/cron-end.ts';
import { forecastUsage, listDaysOfMonth, type PlannedCron } from './usage-forecast.ts';

const START = Date.parse('2026-11-01T00:00:00Z');
const MIDDLE = Date.parse('2026-11-16T00:00:00Z');
const cron = (cronExpression: string, more: Partial<PlannedCron> = {}): PlannedCron => ({
  cronExpression,
  createdAt: MIDDLE,
  nextRunAt: MIDDLE + 60_000,
  startsAt: null,
  end: NO_END,
  runsCounted: 0,
  ...more,
});

interface Given {
  crons?: readonly PlannedCron[];
  waitingJobs?: number;
  now?: number;
}

/** The day on which the limit is reached, or why there is none. */
function forecast(
  used: number,
  limit: number,
  { crons = [], waitingJobs = 0, now = MIDDLE }: Given = {},
): string {
  const found = forecastUsage({ used, limit }, { crons, waitingJobs }, now);
  return typeof found === 'string' ? found : found.runsOutOn;
}

describe('the forecast of the monthly limit', () => {
  test('without crons and waiting jobs the forecast extends the pace so far', () => {
    assert.equal(forecast(750, 1000), '2026-11-21');
    assert.equal(forecast(500, 1000), 'enough');
    assert.equal(forecast(0, 1000), 'enough');
  });

  test('a cron made just now counts with each time of its schedule until the end of the month', () => {
    const crons = [cron('@hourly')];
    // 359 runs: the schedule has 15 days of 24 hours left, and 00:00 of the first day has passed.
    assert.equal(forecast(0, 359, { crons }), 'enough');
    assert.equal(forecast(0, 358, { crons }), '2026-11-30');
    assert.equal(forecast(3, 1000, { crons: [cron('* * * * *')] }), '2026-11-16');
  });

  test('the runs that a cron had so far are not counted twice, as a schedule and as a pace', () => {
    const crons = [cron('@daily', { createdAt: 0 })];
    assert.equal(forecast(15, 30, { crons }), 'enough');
    assert.equal(forecast(16, 30, { crons }), '2026-11-30');
  });

  test('waiting jobs count as if they were sent today', () => {
    assert.equal(forecast(0, 100, { waitingJobs: 100 }), 'enough');
    assert.equal(forecast(0, 100, { waitingJobs: 101 }), '2026-11-16');
  });

  test('a cron that ends counts until its end', () => {
    const isEnough = (end: PlannedCron['end'], limit: number, runsCounted = 0) =>
      forecast(0, limit, { crons: [cron('* * * * *', { end, runsCounted })] }) === 'enough';
    const byTime = { endsAt: MIDDLE + 10 * 60_000, maxRuns: null };
    assert.deepEqual([isEnough(byTime, 10), isEnough(byTime, 9)], [true, false]);
    const byNumber = { endsAt: null, maxRuns: 20 };
    assert.deepEqual([isEnough(byNumber, 15, 5), isEnough(byNumber, 14, 5)], [true, false]);
  });

  test('times that a cron missed count as one run', () => {
    const missed = { crons: [cron('@daily', { nextRunAt: MIDDLE - 3_600_000 })], now: MIDDLE + 1 };
    assert.deepEqual([forecast(0, 15, missed), forecast(0, 14, missed)], ['enough', '2026-11-30']);
  });

  test('the limit is reached once all of it is used', () => {
    assert.equal(forecast(1000, 1000), 'reached');
    assert.equal(forecast(0, 0), 'reached');
  });

  test('a pace is not guessed from a few hours, but crons alone can run out', () => {
    const now = START + 3 * 3_600_000;
    assert.equal(forecast(90, 1000, { now }), 'too-early');
    const crons = [cron('* * * * *', { nextRunAt: now + 60_000 })];
    assert.equal(forecast(90, 1000, { crons, now }), '2026-11-01');
  });
});

test('a month has its UTC days in any time zone of the machine', () => {
  const days = listDaysOfMonth(Date.parse('2028-02-29T23:59:59Z'));
  assert.equal(days.length, 29);
  assert.deepEqual([days[0], days.at(-1)], ['2028-02-01', '2028-02-29']);
});
