import { FAILED_ATTEMPT_STATUSES, FAILED_JOB_STATUSES } from '#domain/run-status';

const listed = (statuses: readonly string[]) =>
  `(${statuses.map((status) => `'${status}'`).join(', ')})`;

/** Lists for `in`. The order must be that of the indexes' conditions, or those are not used. */
export const FAILED_JOBS = listed(FAILED_JOB_STATUSES);
export const FAILED_ATTEMPTS = listed(FAILED_ATTEMPT_STATUSES);
/** Failed attempts that are no dead letters. */
export const OTHER_FAILURES = listed(
  FAILED_ATTEMPT_STATUSES.filter((status) => status !== 'dead_lettered'),
);
