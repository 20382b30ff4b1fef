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

describe('alerts of a queue', () => {
  const rows = [
    ['the first failed attempt warns', 'retried', 1, 'warning'],
    ['a retry that fails and is retried again raises no alert', 'retried', 2, null],
    ['a dead letter is a failure', 'dead_lettered', 4, 'failure'],
    ['a first attempt that is also the last raises no warning', 'dead_lettered', 1, 'failure'],
    ['a success raises no alert', 'success', 1, null],
  ] as const;
  for (const [what, status, attempt, alert] of rows) {
    test(what, () => {
      assert.equal(decideJobAlert(status, attempt, true), alert);
      assert.equal(decideJobAlert(status, attempt, false), null, 'alerts are off');
    });
  }
});

describe('a maintenance window', () => {
  const startsAt = Date.parse('2026-11-21T22:00:00Z');
  const endsAt = Date.parse('2026-11-22T02:00:00Z');
  const once: MaintenanceWindow = { startsAt, endsAt, isWeekly: false, covers: 'team' };
  const weekly: MaintenanceWindow = { ...once, isWeekly: true };

  test('a maintenance window begins at its start and is over at its end', () => {
    assert.equal(isInsideWindow(once, startsAt - 1), false);
    assert.equal(isInsideWindow(once, startsAt), true);
    assert.equal(isInsideWindow(once, endsAt - 1), true);
    assert.equal(isInsideWindow(once, endsAt), false);
  });
  test('a maintenance window repeats only if it is weekly', () => {
    assert.equal(isInsideWindow(once, startsAt + WEEK_MS), false);
    assert.equal(isInsideWindow(weekly, startsAt + WEEK_MS), true);
  });
  test('a weekly maintenance window has the same edges each week, also over midnight or Sunday', () => {
    const later = 30 * WEEK_MS;
    assert.equal(isInsideWindow(weekly, startsAt + later - 1), false);
    assert.equal(isInsideWindow(weekly, startsAt + later), true);
    assert.equal(isInsideWindow(weekly, endsAt + later - 1), true);
    assert.equal(isInsideWindow(weekly, endsAt + later), false);
  });
  test("a weekly maintenance window doesn't apply before its first start", () => {
    assert.equal(isInsideWindow(weekly, startsAt - WEEK_MS), false);
  });
  test('a maintenance window has the end of its current occurrence', () => {
    assert.equal(endOfWindow(once, startsAt + 1), endsAt);
    assert.equal(endOfWindow(weekly, startsAt + 2 * WEEK_MS), endsAt + 2 * WEEK_MS);
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
    const second = openNotification(first.burst, 'second', 2000);
    assert.equal(second.dueAt, 1000 + GATHER_MS);
    assert.equal(findGathering(second.burst, second.dueAt - 1), 'second');
    assert.equal(findGathering(second.burst, second.dueAt), null);
  });
  test('after a quiet minute the next alert is sent at once', () => {
    const { burst } = openNotification(NO_BURST, 'first', 1000);
    assert.equal(openNotification(burst, 'later', 1000 + GATHER_MS).dueAt, 1000 + GATHER_MS);
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
