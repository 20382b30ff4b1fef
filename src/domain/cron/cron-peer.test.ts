import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cron } from 'croner';
import fc from 'fast-check';
import { parseCronExpression, upcomingRuns } from './cron.ts';

/**
 * croner, a well-kept library, reads most expressions as §2.8 does. The comparison leaves out what croner gets wrong:
 * last days of a month (it skips 1 March), and expressions that restrict both day fields.
 */
const list = (lowest: number, highest: number) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant('*') },
    fc.integer({ min: 1, max: highest - lowest }).map((step) => `*/${step}`),
    fc
      .uniqueArray(fc.integer({ min: lowest, max: highest }), { minLength: 1, maxLength: 4 })
      .map((values) => values.join(',')),
    fc
      .tuple(fc.integer({ min: lowest, max: highest }), fc.integer({ min: lowest, max: highest }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  );
const daysOfEveryMonth = list(1, 28).map((days) => days.replace('*/', '1-28/'));
const days = fc.oneof(
  daysOfEveryMonth.map((dayOfMonth) => `${dayOfMonth} MONTH *`),
  list(0, 6).map((dayOfWeek) => `* MONTH ${dayOfWeek}`),
);
const expressions = fc
  .tuple(list(0, 59), list(0, 23), list(1, 12), days)
  .map(([minute, hour, month, day]) => `${minute} ${hour} ${day.replace('MONTH', month)}`);
const instants = fc.integer({
  min: Date.UTC(2020, 0, 1) / 1000,
  max: Date.UTC(2040, 0, 1) / 1000,
});

test('the next runs are those that croner gives', () => {
  fc.assert(
    fc.property(expressions, instants, (expression, seconds) => {
      const ours = parseCronExpression(expression);
      assert.ok(typeof ours !== 'string', expression);
      const peer = new Cron(expression, { timezone: 'UTC', paused: true });
      const from = new Date(seconds * 1000);
      assert.deepEqual(
        upcomingRuns(ours, from.getTime(), 3).map((ms) => new Date(ms).toISOString()),
        peer.nextRuns(3, from).map((date) => date.toISOString()),
        expression,
      );
    }),
    { numRuns: 300 },
  );
});
