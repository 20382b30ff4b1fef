import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideReminder, nextReminder, type Reminding } from './alert-reminder.ts';

const HOUR = 3_600_000;
const due: Reminding = {
  now: 0,
  hours: 6,
  isFailing: true,
  isActive: true,
  mutedUntil: null,
  lastSentAt: null,
};

const rows: [what: string, change: Partial<Reminding>, isSent: boolean, nextAt: number | null][] = [
  ['is sent and repeated after its hours', {}, true, 6 * HOUR],
  ['ends when the cron has recovered', { isFailing: false }, false, null],
  ['ends when reminders are switched off', { hours: null }, false, null],
  ['waits for the end of a maintenance window', { mutedUntil: 5 }, false, 5],
  ['is left out while the cron is paused', { isActive: false }, false, 6 * HOUR],
  ['waits if another failure was sent since', { lastSentAt: -HOUR }, false, 5 * HOUR],
  ['is sent if the other failure is old enough', { lastSentAt: -6 * HOUR }, true, 6 * HOUR],
];
for (const [what, change, isSent, nextAt] of rows) {
  test(`a due reminder ${what}`, () =>
    assert.deepEqual(decideReminder({ ...due, ...change }), { isSent, nextAt }));
}

test('the first reminder comes the same time after the failure', () => {
  assert.equal(nextReminder(5, 1), 5 + HOUR);
  assert.equal(nextReminder(5, null), null);
});
