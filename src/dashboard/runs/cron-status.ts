import { hasEnded } from '#domain/cron-end';
import { isFailedJob } from '#domain/run-status';
import type { StatusName } from '../parts/Status.tsx';
import type { CronListRow, JobListRow } from '../services.ts';

export function cronStatus(cron: Pick<CronListRow['cron'], 'isActive' | 'nextRunAt'>): StatusName {
  if (hasEnded(cron)) return 'ended';
  return cron.isActive ? 'active' : 'paused';
}

/** A job's status by the labels of the tabs (§3.3). */
export function jobStatus({
  status,
  attemptNumber,
}: Pick<JobListRow, 'status' | 'attemptNumber'>): StatusName {
  if (status === 'pending') return attemptNumber > 1 ? 'retrying' : 'pending';
  return status === 'success' ? 'completed' : status;
}

/** Whether a job can be retried: it is on the Failed tab, resent or not. */
export function isFailed({ status }: Pick<JobListRow, 'status'>): boolean {
  return isFailedJob(status);
}
