import { isFailedJob } from '#domain/run-status';
import type { StatusName } from '../parts/Status.tsx';
import type { JobListRow } from '../services.ts';

/**
 * A job's status by the labels of the tabs (§3.3). A failed job that was resent is no longer under its status' tab
 * (§3.3).
 */
export function jobStatus({
  status,
  attemptNumber,
  retriedAs,
}: Pick<JobListRow, 'status' | 'attemptNumber' | 'retriedAs'>): StatusName {
  if (status === 'pending') return attemptNumber > 1 ? 'retrying' : 'pending';
  if (retriedAs !== null) return 'resent';
  return status === 'success' ? 'completed' : status;
}

/** Whether a job can be retried: it is on the Failed tab, resent or not. */
export function isFailed({ status }: Pick<JobListRow, 'status'>): boolean {
  return isFailedJob(status);
}
