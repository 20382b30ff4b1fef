import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { followRun, NO_STREAK, type StreakAlert, type StreakRule } from './alert-streak.ts';

const OFF: StreakRule = { threshold: null, stopAfter: null, isActive: true };
const START = Date.parse('2026-11-21T12:00:00Z');

/** Follows runs a minute apart, `x` failed and `o` succeeded; a digit or `-` sets the threshold from there on. */
function follow(runs: string) {
  let threshold: number | null = null;
  let streak = NO_STREAK;
  let completedAt = START;
  let last: StreakAlert | null = null;
  let raised = '';
  for (const each of runs) {
    if (each === '-') threshold = null;
    else if (each !== 'x' && each !== 'o') threshold = Number(each);
    else {
      completedAt += 60_000;
      const run = { isSuccess: each === 'o', completedAt };
      const step = followRun(streak, { ...OFF, threshold }, run);
      ({ streak } = step);
      last = step.alert ?? last;
      raised += step.alert?.level[0] ?? '.';
    }
  }
  return { raised, last, streak };
}

describe('alerts of a cron', () => {
  const rows: [what: string, runs: string, raised: string][] = [
    ['nothing without a threshold', 'xxxo', '....'],
    ['a lowered threshold holds from the next run on', '3xx1x', 'w.f'],
    ['a raised threshold lets a streak go on to it', '2x3xx', 'w.f'],
    ['a raised threshold does not fail a streak twice', '1x3xxx', 'f...'],
    ['a raised threshold still reports the recovery', '1x3o', 'fr'],
    ['alerts switched off forget the streak', '1x-o', 'f.'],
    ['alerts switched on again start at nothing', '2x-x2xx', 'w.wf'],
  ];
  for (const [what, runs, raised] of rows) {
    test(what, () => assert.equal(follow(runs).raised, raised));
  }

  test('a recovery has the downtime since the first failed run, and empties the streak', () => {
    const { last, streak } = follow('2xxxxo');
    assert.deepEqual(last, { level: 'recovery', failedRuns: 4, downMs: 4 * 60_000 });
    assert.deepEqual(streak, NO_STREAK);
  });

  test('a clock that was set back makes no negative downtime', () => {
    const failed = { failedRuns: 1, failingSince: START, hasRaisedFailure: true };
    const run = { isSuccess: true, completedAt: START - 5 };
    assert.equal(followRun(failed, { ...OFF, threshold: 1 }, run).alert?.downMs, 0);
  });

  const stops: [what: string, failedRuns: number, rule: Partial<StreakRule>, stops: boolean][] = [
    ['the n-th failed run in a row stops it', 2, { stopAfter: 3 }, true],
    ['fewer do not', 1, { stopAfter: 3 }, false],
    ['more do, if the number was lowered', 5, { stopAfter: 3 }, true],
    ['a paused cron is not stopped', 5, { stopAfter: 3, isActive: false }, false],
    ['nothing stops it without the setting', 999, { threshold: 1 }, false],
  ];
  for (const [what, failedRuns, rule, isStopped] of stops) {
    test(what, () => {
      const streak = { failedRuns, failingSince: START, hasRaisedFailure: true };
      const step = followRun(streak, { ...OFF, ...rule }, { isSuccess: false, completedAt: START });
      assert.equal(step.isStopped, isStopped);
      assert.equal(step.alert?.level, isStopped ? 'failure' : undefined);
    });
  }

  test('the streak of a cron raises the same alerts as a look at its whole history', () => {
    const runs = fc.array(fc.boolean(), { maxLength: 40 });
    fc.assert(
      fc.property(runs, fc.integer({ min: 1, max: 3 }), (successes, threshold) => {
        const written = String(threshold) + successes.map((each) => (each ? 'o' : 'x')).join('');
        assert.equal(follow(written).raised, lookBack(successes, threshold));
      }),
    );
  });
});

/** The specification read literally, by counting backwards from every run. */
function lookBack(successes: readonly boolean[], threshold: number): string {
  return successes
    .map((isSuccess, at) => {
      const before = successes.slice(0, at);
      const failedBefore = before.length - 1 - before.lastIndexOf(true);
      if (isSuccess) return failedBefore >= threshold ? 'r' : '.';
      if (failedBefore + 1 === threshold) return 'f';
      return failedBefore === 0 ? 'w' : '.';
    })
    .join('');
}
