import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunResult } from '../services.ts';
import { describeStreak, readStreak } from './failing-streak.ts';

const START = Date.UTC(2026, 10, 20, 16);

const run = (status: RunResult['status'], at: number): RunResult => ({
  id: `run ${at}`,
  status,
  completedAt: status === 'running' ? null : START + at * 60_000,
  durationMs: 5,
  responseStatus: status === 'success' ? 200 : 500,
});
const resultsOf = (...statuses: RunResult['status'][]) => statuses.map(run);
const http500 = { responseStatus: 500, reason: 'http_server_error' } as const;

describe('a cron that fails', () => {
  test('a failing cron shows the number of failures in a row and their start', () => {
    const streak = readStreak(resultsOf('failed', 'success', 'failed', 'failed', 'running'));
    assert.deepEqual(streak, {
      runs: 2,
      isMore: false,
      since: START + 2 * 60_000,
      lastRunId: 'run 3',
    });
    assert.equal(
      streak && describeStreak(streak, http500),
      'Failed 2 times in a row since 20 Nov 16:02 UTC: HTTP 500',
    );
  });

  test('a cron that failed once uses the singular', () => {
    const streak = readStreak(resultsOf('failed'));
    assert.equal(
      streak && describeStreak(streak, http500),
      'The last run failed, 20 Nov 16:00 UTC: HTTP 500',
    );
  });

  test('the start of a streak is not claimed if it is before the shown runs', () => {
    const streak = readStreak(resultsOf('failed', 'failed', 'failed'), 3);
    assert.equal(
      streak && describeStreak(streak, http500),
      'Failed 3 times or more in a row: HTTP 500',
    );
  });

  test('a cron shows no streak after a success or before its first run', () => {
    assert.equal(readStreak(resultsOf('failed', 'success')), null);
    assert.equal(readStreak(resultsOf('running')), null);
    assert.equal(readStreak([]), null);
  });
});
