import type { StatusName } from '../parts/Status.tsx';
import type { JobRow } from '../services.ts';

/** A stored status by the labels of the tabs (D25). */
export function jobStatus({
  status,
  attemptNumber,
}: Pick<JobRow, 'status' | 'attemptNumber'>): StatusName {
  if (status === 'pending') return attemptNumber > 1 ? 'retrying' : 'pending';
  return status === 'success' ? 'completed' : status;
}

/** What the Failed tab shows, and Retry works on. */
export function isFailed({ status }: Pick<JobRow, 'status'>): boolean {
  return status === 'dead_lettered' || status === 'failed';
}
