import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeStreak } from './failing-streak.ts';

const since = Date.UTC(2026, 10, 20, 16);

test('a streak of failures shows how many there are and since when', () => {
  const cases = [
    ['cron', 1, 'The last run failed, 20 Nov 16:00 UTC'],
    ['cron', 9, 'Failed 9 times in a row since 20 Nov 16:00 UTC'],
    ['queue', 1, 'The last job failed, 20 Nov 16:00 UTC'],
    ['queue', 130, '130 jobs failed in a row since 20 Nov 16:00 UTC'],
    ['queue', 1000, '1,000 or more jobs failed in a row since 20 Nov 16:00 UTC'],
  ] as const;
  for (const [kind, runs, words] of cases)
    assert.equal(describeStreak(kind, { runs, since }), words);
});
