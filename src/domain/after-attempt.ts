import type { Verdict } from './judge.ts';

/** A queue's rules for failed attempts, read when the attempt ends (§3.4). */
export interface RetryPolicy {
  retriesEnabled: boolean;
  /** Seconds before each retry, counted from the end of the attempt before it. */
  retrySchedule: readonly number[];
}

/** An attempt of a job that has ended. Times are milliseconds since 1970 UTC. */
export interface EndedAttempt {
  /** 1 for the first attempt. */
  number: number;
  completedAt: number;
}

export type NextStep = { kind: 'finish' } | { kind: 'retry'; at: number } | { kind: 'dead-letter' };

/**
 * Decides the step after an attempt of a job (§3.2). Every failure of the target is retried until the queue's list of
 * delays is used up. A failure of our own (`worker_failed`) is final. The step decides about the callback: `finish` and
 * `dead-letter` send one; `retry` and a failure of our own send none (§6.2).
 */
export function decideAfterAttempt(
  verdict: Verdict,
  attempt: EndedAttempt,
  { retriesEnabled, retrySchedule }: RetryPolicy,
): NextStep {
  if (verdict.ok) return { kind: 'finish' };
  if (verdict.reason === 'worker_failed') return { kind: 'dead-letter' };
  const afterSeconds = retriesEnabled ? retrySchedule[attempt.number - 1] : undefined;
  if (afterSeconds === undefined) return { kind: 'dead-letter' };
  return { kind: 'retry', at: attempt.completedAt + afterSeconds * 1000 };
}
