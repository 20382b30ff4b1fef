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
  /** Until when its target asks to be left alone (retry-after.ts); null where it does not. */
  askedToWaitUntil: number | null;
}

export type NextStep = { kind: 'finish' } | { kind: 'retry'; at: number } | { kind: 'dead-letter' };

/**
 * What follows an attempt of a job (§3.2): every failure of the target is retried, whatever its reason, until
 * the queue's list of delays runs out; one of our own (`worker_failed`) is final. What a target asks for can put a
 * retry off, and gives it none more. Whether a callback is due follows from the step: one for `finish` and
 * `dead-letter`, none for `retry` and for a failure of our own (§6.2).
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
