import { isFailedJob } from '#domain/run-status';
import type { StatusName } from '../parts/Status.tsx';
import type { JobListRow } from '../services.ts';

/** A waiting retry has its own, as it has its own tab (§3.3). */
export function jobStatus({
  status,
  attemptNumber,
}: Pick<JobListRow, 'status' | 'attemptNumber'>): StatusName {
  if (status === 'pending') return attemptNumber > 1 ? 'retrying' : 'pending';
  return status;
}

/** On the Failed tab, resent or not. */
export function isFailed({ status }: Pick<JobListRow, 'status'>): boolean {
  return isFailedJob(status);
}
