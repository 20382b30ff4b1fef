import type { Verdict } from './judge.ts';

/** A queue's rules for failed attempts, as they stand when the attempt ends (§3.4). */
export interface RetryPolicy {
  retriesEnabled: boolean;
  /** Seconds before each retry, counted from the end of the attempt before it. */
  retrySchedule: readonly number[];
  /** Whether a retry waits for as long as its target asks. */
  honorsRetryAfter: boolean;
}

/** An attempt of a job that has ended. Times are milliseconds since 1970 UTC. */
export interface EndedAttempt {
  /** 1 for the first attempt. */
  number: number;
  completedAt: number;
  /** Until when the target asks for no further request (retry-after.ts); null if it does not ask. */
  askedToWaitUntil: number | null;
}

export type NextStep = { kind: 'finish' } | { kind: 'retry'; at: number } | { kind: 'dead-letter' };

/**
 * Decides what follows an attempt of a job (§3.2). Every failure of the target is retried, whatever its reason, until
 * the queue's list of delays is used up. A failure of our own (`worker_failed`) is final. The target's `Retry-After`
 * can delay a retry, but adds none. The step decides about the callback: `finish` and `dead-letter` send one; `retry`
 * and a failure of our own send none (§6.2).
 */
export function decideAfterAttempt(
  verdict: Verdict,
  attempt: EndedAttempt,
  { retriesEnabled, retrySchedule, honorsRetryAfter }: RetryPolicy,
): NextStep {
  if (verdict.ok) return { kind: 'finish' };
  if (verdict.reason === 'worker_failed') return { kind: 'dead-letter' };
  const afterSeconds = retriesEnabled ? retrySchedule[attempt.number - 1] : undefined;
  if (afterSeconds === undefined) return { kind: 'dead-letter' };
  const at = attempt.completedAt + afterSeconds * 1000;
  const asked = honorsRetryAfter ? attempt.askedToWaitUntil : null;
  return { kind: 'retry', at: Math.max(at, asked ?? at) };
}
