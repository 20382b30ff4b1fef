import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Burst, findGathering, GATHER_MS, NO_BURST, openNotification } from './alert-burst.ts';
import { decideJobAlert } from '../judging/after-attempt.ts';
import {
  endOfWindow,
  findMutingWindow,
  isInsideWindow,
  type MaintenanceWindow,
  WEEK_MS,
} from '../team/maintenance.ts';

test('the first failed attempt of a job warns, its dead letter is a failure, and nothing else alerts', () => {
  for (const [status, attempt, alert] of [
    ['retried', 1, 'warning'],
    ['retried', 2, null],
    ['dead_lettered', 4, 'failure'],
    ['dead_lettered', 1, 'failure'],
    ['success', 1, null],
  ] as const) {
    assert.equal(decideJobAlert(status, attempt, true), alert, `${status} ${attempt}`);
    assert.equal(decideJobAlert(status, attempt, false), null, 'alerts are off');
  }
});

describe('a maintenance window', () => {
  const startsAt = Date.parse('2026-11-21T22:00:00Z');
  const endsAt = Date.parse('2026-11-22T02:00:00Z');
  const once: MaintenanceWindow = { startsAt, endsAt, isWeekly: false, covers: 'team' };
  const weekly: MaintenanceWindow = { ...once, isWeekly: true };

  test('a maintenance window lasts from its start to its end, in each week from the first if weekly', () => {
    for (const week of [-1, 0, 1, 30]) {
      const later = week * WEEK_MS;
      for (const [window, applies] of [
        [once, week === 0],
        [weekly, week >= 0],
      ] as const) {
        const inside = [startsAt - 1, startsAt, endsAt - 1, endsAt].map((at) =>
          isInsideWindow(window, at + later),
        );
        assert.deepEqual(inside, [false, applies, applies, false], `${week}`);
      }
      assert.equal(endOfWindow(weekly, startsAt + later), endsAt + later);
    }
    assert.equal(endOfWindow(once, startsAt + 1), endsAt);
  });
  test('a maintenance window mutes its own sources only', () => {
    const cron = { kind: 'cron', id: 'a' } as const;
    const chosen = { ...once, covers: [cron] };
    assert.equal(findMutingWindow([chosen], cron, startsAt), chosen);
    assert.equal(findMutingWindow([chosen], { kind: 'cron', id: 'b' }, startsAt), null);
    assert.equal(findMutingWindow([chosen], { kind: 'queue', id: 'a' }, startsAt), null);
    assert.equal(findMutingWindow([chosen, once], { kind: 'queue', id: 'a' }, startsAt), once);
    assert.equal(findMutingWindow([once], cron, endsAt), null);
  });
});

describe('a burst of alerts', () => {
  test('the first alert is sent at once, those of the next minute together at its end', () => {
    const first = openNotification(NO_BURST, 'first', 1000);
    assert.equal(first.dueAt, 1000);
    assert.equal(findGathering(first.burst, 1001), null);
    assert.equal(openNotification(first.burst, 'later', 1000 + GATHER_MS).dueAt, 1000 + GATHER_MS);
    const second = openNotification(first.burst, 'second', 2000);
    assert.equal(second.dueAt, 1000 + GATHER_MS);
    assert.equal(findGathering(second.burst, second.dueAt - 1), 'second');
    assert.equal(findGathering(second.burst, second.dueAt), null);
  });
  test('notifications of a burst are a minute apart, and no alert waits longer', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 2 * GATHER_MS }), { maxLength: 60 });
    fc.assert(
      fc.property(gaps, (pauses) => {
        const dueAts = whenDue(pauses);
        for (let n = 1; n < dueAts.length; n++) {
          assert.ok((dueAts[n] ?? 0) - (dueAts[n - 1] ?? 0) >= GATHER_MS);
        }
      }),
    );
  });
});

/** When each notification is due, for alerts that come with these pauses between them. */
function whenDue(pauses: readonly number[]): number[] {
  let burst: Burst = NO_BURST;
  let at = 1_000_000;
  const dueAts: number[] = [];
  for (const pause of pauses) {
    at += pause;
    if (findGathering(burst, at) !== null) continue;
    const opened = openNotification(burst, `notification ${dueAts.length}`, at);
    assert.ok(opened.dueAt >= at && opened.dueAt - at <= GATHER_MS);
    ({ burst } = opened);
    dueAts.push(opened.dueAt);
  }
  return dueAts;
}
