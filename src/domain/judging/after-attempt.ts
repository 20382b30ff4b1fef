import type { Verdict } from './judge.ts';

/** Read when the attempt ends (§3.4). */
interface RetryPolicy {
  retriesEnabled: boolean;
  /** Seconds, counted from the end of the previous attempt. */
  retrySchedule: readonly number[];
}

/** Times are milliseconds since 1970 UTC. */
interface EndedAttempt {
  number: number;
  completedAt: number;
}

type NextStep = { kind: 'finish' } | { kind: 'retry'; at: number } | { kind: 'dead-letter' };

/**
 * §3.2. A failure of the target is retried until the queue's delays are used up; `worker_failed` is final. `finish` and
 * `dead-letter` send a callback (§6.2).
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

/** If the first attempt is also the last, only the failure is raised: both would report the same run (§6.4). */
export function decideJobAlert(
  step: NextStep,
  attemptNumber: number,
  emailAlerts: boolean,
): 'warning' | 'failure' | null {
  if (!emailAlerts || step.kind === 'finish') return null;
  if (step.kind === 'dead-letter') return 'failure';
  return attemptNumber === 1 ? 'warning' : null;
}
