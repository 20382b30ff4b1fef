import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE_MS } from '../base/instant.ts';
import { FAST_FOR_MS, followPace, judgePace, type SlowSpell } from './slow-runs.ts';

test('§6.4 a run is slow if it took longer than its limit', () => {
  assert.deepEqual(judgePace(20, 20_000), { isSlow: false, words: 'Took 20 s.' });
  assert.deepEqual(judgePace(20, 20_500), { isSlow: true, words: 'Took 21 s, longer than 20 s.' });
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
