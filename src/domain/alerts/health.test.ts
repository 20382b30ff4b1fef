import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeStreakOf, type HealthFacts, judgeHealth } from './health.ts';

const NOW = 1_000_000;
const QUIET: HealthFacts = {
  isPaused: false,
  isFailing: false,
  isMuted: false,
  isRunning: false,
  isBacklogged: false,
  nextAt: null,
};

describe('the health of a cron or queue', () => {
  const cases: [string, Partial<HealthFacts>, string][] = [
    ['with nothing planned and nothing running is idle', {}, 'idle'],
    ['with a run under way is active', { isRunning: true }, 'active'],
    ['with a planned run is active', { nextAt: NOW + 1 }, 'active'],
    ['is late once a run has been due for a minute', { nextAt: NOW - 60_000 }, 'late'],
    ['is not late a moment before that', { nextAt: NOW - 59_999 }, 'active'],
    ['that is muted is muted', { isMuted: true, nextAt: NOW }, 'muted'],
    ['that is muted and late is late', { isMuted: true, nextAt: 0 }, 'late'],
    ['that fails is failing, even if muted', { isFailing: true, isMuted: true }, 'failing'],
    [
      'with an open backlog is late, even if paused',
      { isPaused: true, isBacklogged: true },
      'late',
    ],
    ['that fails with a backlog is failing', { isFailing: true, isBacklogged: true }, 'failing'],
    ['that is paused is paused, even if failing', { isPaused: true, isFailing: true }, 'paused'],
  ];
  for (const [name, facts, health] of cases) {
    test(`a source ${name}`, () => assert.equal(judgeHealth({ ...QUIET, ...facts }, NOW), health));
  }

  test('the count of failures is that of the finished runs, or of a longer streak', () => {
    const write = (runs: number, finished: number) => describeStreakOf({ runs }, finished);
    assert.deepEqual(
      [write(9, 9), write(3, 50), write(130, 50), write(1000, 50)],
      ['9 of 9', '3 of 50', '130 of 130', '1,000 or more'],
    );
  });
});
