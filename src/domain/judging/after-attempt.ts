import type { FailureReason } from './failure.ts';

/** Read when the attempt ends (§3.4). */
interface RetryPolicy {
  retriesEnabled: boolean;
  /** Seconds, counted from the end of the previous attempt. */
  retrySchedule: readonly number[];
}

/**
 * When the attempt after a failed one is due, in milliseconds since 1970 UTC; null after the last one (§3.2). A failure
 * of the target is retried until the queue's delays are used up; `worker_failed` is final.
 */
export function decideRetry(
  attemptNumber: number,
  { reason, completedAt }: { reason: FailureReason | null; completedAt: number },
  { retriesEnabled, retrySchedule }: RetryPolicy,
): number | null {
  if (reason === 'worker_failed' || !retriesEnabled) return null;
  const afterSeconds = retrySchedule[attemptNumber - 1];
  return afterSeconds === undefined ? null : completedAt + afterSeconds * 1000;
}

/** If the first attempt is also the last, only the failure is raised: both would report the same run (§6.4). */
export function decideJobAlert(
  status: 'success' | 'retried' | 'dead_lettered',
  attemptNumber: number,
  emailAlerts: boolean,
): 'warning' | 'failure' | null {
  if (!emailAlerts || status === 'success') return null;
  if (status === 'dead_lettered') return 'failure';
  return attemptNumber === 1 ? 'warning' : null;
}
