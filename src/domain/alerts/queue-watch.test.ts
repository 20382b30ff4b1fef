import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../base/instant.ts';
import {
  type BacklogFacts,
  type BacklogRule,
  describeBacklogRule,
  describeFailureRule,
  followWatch,
  judgeBacklog,
  judgeFailures,
  NO_WATCH,
  NOTHING_SEEN,
  readWatchRules,
  type WatchState,
  writeWatchRules,
} from './queue-watch.ts';

const NOW = 1_800_000_000_000;
const NONE: BacklogRule = { minutes: null, jobs: null, pausedHours: null };
const EMPTY: BacklogFacts = { now: NOW, oldestDueAt: null, waiting: 0, pausedAt: null };

describe('the backlog of a queue', () => {
  const waits = (minutes: number) => ({ oldestDueAt: NOW - minutes * MINUTE_MS, waiting: 1 });
  const paused = (hours: number) => ({ pausedAt: NOW - hours * HOUR_MS });
  type Case = [Partial<BacklogRule>, Partial<BacklogFacts>, opens: boolean, stays: boolean];
  const cases: Case[] = [
    [{ minutes: 1, jobs: 1, pausedHours: 1 }, {}, false, false],
    [{ minutes: 10 }, waits(10), false, true],
    [{ minutes: 10 }, waits(10.1), true, true],
    [{ minutes: 10 }, waits(5), false, false],
    [{ jobs: 4 }, { ...waits(1), waiting: 4 }, false, true],
    [{ jobs: 4 }, { ...waits(1), waiting: 5 }, true, true],
    [{ jobs: 4 }, { ...waits(1), waiting: 2 }, false, false],
    // Jobs of a paused queue wait on purpose.
    [{ minutes: 1 }, { ...waits(9), ...paused(1) }, false, true],
    [{ pausedHours: 4 }, paused(4), false, false],
    [{ pausedHours: 4 }, paused(4.1), true, true],
  ];
  test('the alert of a backlog opens above a limit, and ends at half of it', () => {
    for (const [rule, facts, opens, stays] of cases) {
      const given = [
        { ...NONE, ...rule },
        { ...EMPTY, ...facts },
      ] as const;
      const found = [judgeBacklog(...given, false).isOver, judgeBacklog(...given, true).isOver];
      assert.deepEqual(found, [opens, stays], JSON.stringify([rule, facts]));
    }
  });

  test('the alert of a backlog names every limit that is exceeded', () => {
    const rule = { minutes: 10, jobs: 1000, pausedHours: 4 };
    const facts = { ...EMPTY, ...waits(12.7), waiting: 1001 };
    assert.equal(
      judgeBacklog(rule, facts, false).words,
      'The oldest job is overdue by 12 min, limit 10 min. More than 1,000 jobs due and waiting.',
    );
    assert.equal(
      judgeBacklog(rule, { ...EMPTY, ...paused(5) }, false).words,
      'Paused for 5 h, longer than 4 h.',
    );
  });
});

test('the alert of a failure rate opens above the percentage of enough attempts, and ends at half', () => {
  const RULE = { percent: 20, attempts: 50 };
  for (const [failed, finished, isOpen, isOver] of [
    [10, 50, false, false],
    [11, 50, false, true],
    [6, 50, true, true],
    [5, 50, true, false],
    [49, 49, false, false],
  ] as const)
    assert.equal(judgeFailures(RULE, { failed, finished }, isOpen).isOver, isOver, `${failed}`);
  assert.equal(
    judgeFailures(RULE, { failed: 14, finished: 50 }, false).words,
    '14 of the last 50 attempts failed, limit 20 %.',
  );
});

describe('the alert of a watched queue', () => {
  const check = (state: WatchState, given: Partial<Parameters<typeof followWatch>[1]> = {}) =>
    followWatch(state, { isOver: true, now: NOW, isMuted: false, remindHours: null, ...given });
  const seen = (msAgo: number) => ({ ...NOTHING_SEEN, seenAt: NOW - msAgo });
  const open = (hoursAgo: number, notified: number | null = hoursAgo): WatchState => ({
    seenAt: NOW - hoursAgo * HOUR_MS - MINUTE_MS,
    since: NOW - hoursAgo * HOUR_MS,
    notifiedAt: notified === null ? null : NOW - notified * HOUR_MS,
  });
  const alertOf = (...given: Parameters<typeof check>) => {
    const { alert } = check(...given);
    return alert && [alert.level, alert.downMs];
  };

  test('the second of two checks raises the alert of a queue, the first does not', () => {
    const first = check(NOTHING_SEEN);
    assert.deepEqual(first, { state: { ...NOTHING_SEEN, seenAt: NOW }, alert: null });
    assert.deepEqual(alertOf(seen(MINUTE_MS)), ['failure', null]);
  });

  test('a check of a queue before a long gap or a step of the clock does not count', () => {
    for (const ago of [HOUR_MS, -HOUR_MS])
      assert.deepEqual(check(seen(ago)), { state: seen(0), alert: null });
  });

  test('a check of a queue below the limit forgets the one above', () => {
    assert.deepEqual(check(seen(MINUTE_MS), { isOver: false }), {
      state: NOTHING_SEEN,
      alert: null,
    });
  });

  test('an open alert of a queue is raised once, and its end once', () => {
    assert.equal(alertOf(open(2)), null);
    assert.deepEqual(alertOf(open(2), { isOver: false }), ['recovery', 2 * HOUR_MS]);
    assert.equal(alertOf(NOTHING_SEEN, { isOver: false }), null);
  });

  test('reminders about a queue follow the last notification', () => {
    assert.equal(alertOf(open(5), { remindHours: 6 }), null);
    assert.deepEqual(alertOf(open(6), { remindHours: 6 }), ['failure', 6 * HOUR_MS]);
    assert.equal(alertOf(open(9, 3), { remindHours: 6 }), null);
  });

  test('a muted alert of a queue is raised again once nothing mutes it', () => {
    assert.deepEqual(alertOf(seen(MINUTE_MS), { isMuted: true }), ['failure', null]);
    assert.equal(alertOf(open(2, null), { isMuted: true, remindHours: 1 }), null);
    assert.deepEqual(alertOf(open(2, null)), ['failure', 2 * HOUR_MS]);
  });
});

test('rules of a queue are read as written and described; damaged ones count as not set', () => {
  const rules = {
    backlog: { minutes: 10, jobs: 1, pausedHours: 4 },
    failureRate: { percent: 20, attempts: 50 },
  };
  assert.deepEqual(readWatchRules(writeWatchRules(rules)), rules);
  assert.equal(writeWatchRules(NO_WATCH), null);
  for (const text of [null, 'null', '{"backlog', '3', '{"backlog":{}}', '[]'])
    assert.deepEqual(readWatchRules(text), NO_WATCH);
  assert.equal(
    describeBacklogRule(rules.backlog),
    'Alerts when a job is overdue by more than 10 min or more than 1 due job waits or it is paused for more than 4 h',
  );
  assert.equal(
    describeFailureRule(rules.failureRate),
    'Alerts when more than 20 % of the last 50 attempts failed',
  );
  const { backlog, failureRate } = NO_WATCH;
  assert.deepEqual([describeBacklogRule(backlog), describeFailureRule(failureRate)], [null, null]);
});
