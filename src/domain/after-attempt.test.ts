import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideAfterAttempt, type RetryPolicy } from './after-attempt.ts';
import type { Verdict } from './judge.ts';

const failed: Verdict = { ok: false, reason: 'timeout', errorMessage: 'too slow' };
const policy: RetryPolicy = {
  retriesEnabled: true,
  retrySchedule: [60, 1800, 10_800],
};
const END = 1_000_000;

const ended = (number: number) => ({ number, completedAt: END });

describe('after an attempt (§3.2)', () => {
  test('a success is final, on any attempt', () => {
    assert.deepEqual(decideAfterAttempt({ ok: true }, ended(1), policy), { kind: 'finish' });
    assert.deepEqual(decideAfterAttempt({ ok: true }, ended(4), policy), { kind: 'finish' });
  });

  test('the default schedule gives up to four attempts (§2.3)', () => {
    const steps = [1, 2, 3, 4].map((attempt) => decideAfterAttempt(failed, ended(attempt), policy));
    assert.deepEqual(steps, [
      { kind: 'retry', at: END + 60_000 },
      { kind: 'retry', at: END + 1_800_000 },
      { kind: 'retry', at: END + 10_800_000 },
      { kind: 'dead-letter' },
    ]);
  });

  test('with automatic retries off the first failure is the last (§3.4)', () => {
    const off = { ...policy, retriesEnabled: false };
    assert.deepEqual(decideAfterAttempt(failed, ended(1), off), { kind: 'dead-letter' });
  });

  test('a failed worker is final, whatever the retry schedule (§3.2)', () => {
    const ours: Verdict = { ok: false, reason: 'worker_failed', errorMessage: 'not readable' };
    assert.deepEqual(decideAfterAttempt(ours, ended(1), policy), { kind: 'dead-letter' });
  });

  test('a retry beyond a shortened schedule is not made', () => {
    const short = { ...policy, retrySchedule: [60] };
    assert.deepEqual(decideAfterAttempt(failed, ended(3), short), { kind: 'dead-letter' });
  });
});
