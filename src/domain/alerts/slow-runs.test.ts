import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE_MS } from '../base/instant.ts';
import {
  FAST_FOR_MS,
  followPace,
  judgePace,
  readSlowRule,
  type SlowSpell,
  writeSlowRule,
} from './slow-runs.ts';

test('§6.4 a run is slow if it took longer than the lower of its limits', () => {
  const seconds = { seconds: 20, timesMedian: null };
  const median = { seconds: null, timesMedian: 3 };
  const both = { seconds: 5, timesMedian: 3 };
  for (const [rule, ms, medianMs, words] of [
    [seconds, 20_000, null, 'Took 20 s.'],
    [seconds, 20_500, null, 'Took 21 s, longer than 20 s.'],
    [median, 6_000, 2_000, 'Took 6 s.'],
    [median, 6_100, 2_000, 'Took 6.1 s, longer than 3 times its median of 2 s.'],
    [both, 5_100, 2_000, 'Took 5.1 s, longer than 5 s.'],
    [both, 5_100, null, 'Took 5.1 s, longer than 5 s.'],
    // A median of a few milliseconds makes no hiccup slow.
    [median, 100, 2, 'Took 100 ms.'],
  ] as const)
    assert.deepEqual(judgePace(rule, ms, medianMs), { isSlow: words.includes('longer'), words });
  assert.equal(judgePace(median, 60_000, null), null);
  assert.deepEqual(readSlowRule(writeSlowRule(both)), both);
  for (const text of [null, '', '{', 'null', '{}']) assert.equal(readSlowRule(text), null);
});

describe('§6.4 alerts of slow runs', () => {
  type Step = [atMinutes: number, run: 'slow' | 'slow failure' | 'fast' | 'failed'];

  function follow(steps: readonly Step[], remindHours: number | null = null): string[] {
    let spell: SlowSpell | null = null;
    return steps.flatMap(([atMinutes, run]) => {
      const timed = {
        isSlow: run.startsWith('slow'),
        isSuccess: run === 'slow' || run === 'fast',
        at: atMinutes * MINUTE_MS,
      };
      const step = followPace(spell, timed, remindHours);
      ({ spell } = step);
      const { alert } = step;
      if (!alert) return [];
      const after = alert.slowMs === null ? '' : ` after ${alert.slowMs / MINUTE_MS}`;
      return [`${alert.level} at ${atMinutes}${after}`];
    });
  }

  test('slow runs alert once when they begin and once when a run is fast again', () => {
    const runs = ['fast', 'slow', 'slow', 'fast', 'fast'] as const;
    const hourly = runs.map((run, n): Step => [n * 60, run]);
    assert.deepEqual(follow(hourly), ['warning at 60', 'recovery at 180 after 120']);
  });

  test('a mix of slow and fast runs is one spell, until none was slow for ten minutes', () => {
    assert.equal(FAST_FOR_MS, 10 * MINUTE_MS);
    const mixed = Array.from({ length: 60 }, (_, n): Step => [n, n % 2 === 0 ? 'slow' : 'fast']);
    assert.deepEqual(follow(mixed), ['warning at 0']);
    assert.deepEqual(follow([...mixed, [67, 'fast'], [68, 'fast'], [69, 'fast']]), [
      'warning at 0',
      'recovery at 68 after 68',
    ]);
  });

  test('a slow failure counts, and a quick one does not end it', () => {
    const runs: Step[] = [
      [0, 'slow failure'],
      [60, 'failed'],
      [120, 'fast'],
    ];
    assert.deepEqual(follow(runs), ['warning at 0', 'recovery at 120 after 120']);
  });

  test('reminders come with the next slow run after their time', () => {
    const hourly = Array.from({ length: 13 }, (_, n): Step => [n * 60, 'slow']);
    assert.deepEqual(follow(hourly, 6), [
      'warning at 0',
      'warning at 360 after 360',
      'warning at 720 after 720',
    ]);
    assert.deepEqual(follow(hourly), ['warning at 0']);
  });

  test('the run that is reminded of is a slow one, from which ten minutes are counted', () => {
    const runs: Step[] = [
      [0, 'slow'],
      [360, 'slow'],
      [369, 'fast'],
      [370, 'fast'],
    ];
    assert.deepEqual(follow(runs, 6), [
      'warning at 0',
      'warning at 360 after 360',
      'recovery at 370 after 370',
    ]);
  });
});
