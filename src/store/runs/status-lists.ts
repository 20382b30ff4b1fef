import { FAILED_ATTEMPT_STATUSES, FAILED_JOB_STATUSES } from '#domain/runs/run-status';

const listed = (statuses: readonly string[]) =>
  `(${statuses.map((status) => `'${status}'`).join(', ')})`;

/** In the order of the indexes' conditions, or those aren't used. */
export const FAILED_JOBS = listed(FAILED_JOB_STATUSES);
export const FAILED_ATTEMPTS = listed(FAILED_ATTEMPT_STATUSES);
export const OTHER_FAILURES = listed(
  FAILED_ATTEMPT_STATUSES.filter((status) => status !== 'dead_lettered'),
);
