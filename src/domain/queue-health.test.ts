import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeQueue, judgeWaiting } from './queue-health.ts';

interface Facts {
  isPaused: boolean;
  running: number;
  concurrencyLimit: number | null;
  oldestWaitMs: number | null;
}

const QUIET: Facts = {
  isPaused: false,
  running: 0,
  concurrencyLimit: null,
  oldestWaitMs: null,
};

function judge({ isPaused, oldestWaitMs, ...running }: Facts) {
  const waiting = judgeWaiting(isPaused, oldestWaitMs);
  return judgeQueue({ waiting, isAnyDue: oldestWaitMs !== null, ...running });
}

describe('the health of a queue', () => {
  const cases: [string, Partial<Facts>, string][] = [
    ['with nothing due and nothing running is idle', {}, 'idle'],
    ['with something running is active', { running: 1 }, 'active'],
    ['with a job that has just become due is active', { oldestWaitMs: 0 }, 'active'],
    ['that runs all it may is at its limit', { running: 2, concurrencyLimit: 2 }, 'at its limit'],
    ['below its limit is active', { running: 1, concurrencyLimit: 2 }, 'active'],
    ['is backlogged once a job has waited a minute', { oldestWaitMs: 60_000 }, 'backlogged'],
    ['is not backlogged a moment before that', { oldestWaitMs: 59_999 }, 'active'],
    [
      'at its limit with a backlog is backlogged',
      { running: 2, concurrencyLimit: 2, oldestWaitMs: 90_000 },
      'backlogged',
    ],
    ['that is paused is paused, whatever waits', { isPaused: true, oldestWaitMs: 1e9 }, 'paused'],
  ];
  for (const [name, facts, health] of cases) {
    test(`a queue ${name}`, () => assert.equal(judge({ ...QUIET, ...facts }), health));
  }
});
