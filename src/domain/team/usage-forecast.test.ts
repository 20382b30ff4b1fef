import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_END } from '../cron/cron-end.ts';
import { forecastUsage, listDaysOfMonth, type PlannedCron } from './usage-forecast.ts';

const START = Date.parse('2026-11-01T00:00:00Z');
const MIDDLE = Date.parse('2026-11-16T00:00:00Z');
const NONE = { crons: [], waitingJobs: 0 };

const cron = (cronExpression: string, more: Partial<PlannedCron> = {}): PlannedCron => ({
  cronExpression,
  createdAt: MIDDLE,
  nextRunAt: MIDDLE + 60_000,
  startsAt: null,
  end: NO_END,
  runsCounted: 0,
  ...more,
});

describe('the forecast of the monthly limit', () => {
  test('without crons and waiting jobs the forecast extends the pace so far', () => {
    assert.deepEqual(forecastUsage({ used: 750, limit: 1000 }, NONE, MIDDLE), {
      runsOutOn: '2026-11-21',
    });
    assert.equal(forecastUsage({ used: 500, limit: 1000 }, NONE, MIDDLE), 'enough');
    assert.equal(forecastUsage({ used: 0, limit: 1000 }, NONE, MIDDLE), 'enough');
  });

  test('a cron made just now counts with each time of its schedule until the end of the month', () => {
    const hourly = { crons: [cron('@hourly')], waitingJobs: 0 };
    // 359 runs: the schedule has 15 days of 24 hours left, and 00:00 of the first day has passed.
    assert.equal(forecastUsage({ used: 0, limit: 359 }, hourly, MIDDLE), 'enough');
    assert.deepEqual(forecastUsage({ used: 0, limit: 358 }, hourly, MIDDLE), {
      runsOutOn: '2026-11-30',
    });
    const minutely = { crons: [cron('* * * * *')], waitingJobs: 0 };
    assert.deepEqual(forecastUsage({ used: 3, limit: 1000 }, minutely, MIDDLE), {
      runsOutOn: '2026-11-16',
    });
  });

  test('the runs that a cron had so far are not counted twice, as a schedule and as a pace', () => {
    const daily = { crons: [cron('@daily', { createdAt: 0 })], waitingJobs: 0 };
    assert.equal(forecastUsage({ used: 15, limit: 30 }, daily, MIDDLE), 'enough');
    assert.deepEqual(forecastUsage({ used: 16, limit: 30 }, daily, MIDDLE), {
      runsOutOn: '2026-11-30',
    });
  });

  test('waiting jobs count as if they were sent today', () => {
    const waiting = (waitingJobs: number) => ({ crons: [], waitingJobs });
    assert.equal(forecastUsage({ used: 0, limit: 100 }, waiting(100), MIDDLE), 'enough');
    assert.deepEqual(forecastUsage({ used: 0, limit: 100 }, waiting(101), MIDDLE), {
      runsOutOn: '2026-11-16',
    });
  });

  test('a cron that ends counts until its end', () => {
    const isEnough = (end: PlannedCron['end'], limit: number, runsCounted = 0) => {
      const crons = [cron('* * * * *', { end, runsCounted })];
      return forecastUsage({ used: 0, limit }, { crons, waitingJobs: 0 }, MIDDLE) === 'enough';
    };
    const byTime = { endsAt: MIDDLE + 10 * 60_000, maxRuns: null };
    assert.deepEqual([isEnough(byTime, 10), isEnough(byTime, 9)], [true, false]);
    const byNumber = { endsAt: null, maxRuns: 20 };
    assert.deepEqual([isEnough(byNumber, 15, 5), isEnough(byNumber, 14, 5)], [true, false]);
  });

  test('times that a cron missed count as one run', () => {
    const crons = [cron('@daily', { nextRunAt: MIDDLE - 3_600_000 })];
    const forecast = (limit: number) =>
      forecastUsage({ used: 0, limit }, { crons, waitingJobs: 0 }, MIDDLE + 1);
    assert.deepEqual([forecast(15), forecast(14)], ['enough', { runsOutOn: '2026-11-30' }]);
  });

  test('the limit is reached once all of it is used', () => {
    assert.equal(forecastUsage({ used: 1000, limit: 1000 }, NONE, MIDDLE), 'reached');
    assert.equal(forecastUsage({ used: 0, limit: 0 }, NONE, MIDDLE), 'reached');
  });

  test('a pace is not guessed from a few hours, but crons alone can run out', () => {
    const early = START + 3 * 3_600_000;
    assert.equal(forecastUsage({ used: 90, limit: 1000 }, NONE, early), 'too-early');
    const crons = [cron('* * * * *', { nextRunAt: early + 60_000 })];
    assert.deepEqual(forecastUsage({ used: 90, limit: 1000 }, { crons, waitingJobs: 0 }, early), {
      runsOutOn: '2026-11-01',
    });
  });
});

test('a month has its UTC days in any time zone of the machine', () => {
  const days = listDaysOfMonth(Date.parse('2028-02-29T23:59:59Z'));
  assert.equal(days.length, 29);
  assert.deepEqual([days[0], days.at(-1)], ['2028-02-01', '2028-02-29']);
});
