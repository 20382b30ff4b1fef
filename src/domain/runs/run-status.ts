export const ENDED_JOB_STATUSES = ['success', 'retried', 'dead_lettered', 'failed'] as const;
export type EndedJobStatus = (typeof ENDED_JOB_STATUSES)[number];

export const JOB_STATUSES = ['pending', 'processing', ...ENDED_JOB_STATUSES] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** The Failed tab (§3.3). */
export const FAILED_JOB_STATUSES = ['dead_lettered', 'failed'] as const;
type FailedJobStatus = (typeof FAILED_JOB_STATUSES)[number];

export const FAILED_ATTEMPT_STATUSES = ['retried', ...FAILED_JOB_STATUSES] as const;

export type EndedExecutionStatus = 'success' | 'failed';
export type ExecutionStatus = 'pending' | 'running' | EndedExecutionStatus;

export function isFailedJob(status: JobStatus): status is FailedJobStatus {
  return FAILED_JOB_STATUSES.some((failed) => failed === status);
}
