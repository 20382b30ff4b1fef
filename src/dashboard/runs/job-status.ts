import { isFailedJob } from '#domain/run-status';
import type { StatusName } from '../parts/Status.tsx';
import type { JobListRow } from '../services.ts';

/** A stored status by the labels of the tabs (§3.3); what failed and was resent has left its tab (§3.3). */
export function jobStatus({
  status,
  attemptNumber,
  retriedAs,
}: Pick<JobListRow, 'status' | 'attemptNumber' | 'retriedAs'>): StatusName {
  if (status === 'pending') return attemptNumber > 1 ? 'retrying' : 'pending';
  if (retriedAs !== null) return 'resent';
  return status === 'success' ? 'completed' : status;
}

/** What Retry works on: what the Failed tab shows, resent or not. */
export function isFailed({ status }: Pick<JobListRow, 'status'>): boolean {
  return isFailedJob(status);
}
