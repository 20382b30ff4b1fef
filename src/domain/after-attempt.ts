import type { Verdict } from './judge.ts';

/** A queue's rules for failed attempts, as they stand when the attempt ends (§3.4). */
export interface RetryPolicy {
  retriesEnabled: boolean;
  /** Seconds before each retry, counted from the end of the attempt before it. */
  retrySchedule: readonly number[];
}

export type NextStep =
  | { kind: 'finish' }
  | { kind: 'retry'; afterSeconds: number }
  | { kind: 'dead-letter' };

/**
 * What follows an attempt of a job (§3.2): every failure of the target is retried, whatever its reason, until
 * the queue's list of delays runs out; one of our own (`worker_failed`) is final. Whether a callback is due
 * follows from the step: one for `finish` and `dead-letter`, none for `retry` and for a failure of our own (§6.2).
 *
 * @param attemptNumber  1 for the first attempt
 */
export function decideAfterAttempt(
  verdict: Verdict,
  attemptNumber: number,
  { retriesEnabled, retrySchedule }: RetryPolicy,
): NextStep {
  if (verdict.ok) return { kind: 'finish' };
  if (verdict.reason === 'worker_failed') return { kind: 'dead-letter' };
  const afterSeconds = retriesEnabled ? retrySchedule[attemptNumber - 1] : undefined;
  return afterSeconds === undefined ? { kind: 'dead-letter' } : { kind: 'retry', afterSeconds };
}
