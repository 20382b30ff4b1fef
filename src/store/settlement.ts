import type { FailureReason } from '#domain/failure';
import type { CallbackToSend } from './callbacks.ts';
import type { ClaimedJob } from './claims.ts';
import type { JobCopy } from './copy-jobs.ts';
import type { Fields } from './dialect.ts';

/** What is kept of a response, apart from the run's row (§2.5). */
export interface StoredResponse {
  body: Uint8Array;
  totalBytes: number;
  /** JSON of `Trace`. */
  trace: string;
}

/** How a run ended, in the columns that jobs and executions share. */
export interface RunEnd {
  completedAt: number;
  responseStatus: number | null;
  reason: FailureReason | null;
  errorMessage: string | null;
  durationMs: number;
}

/** Everything that changes together when an attempt ends (§3.2). */
export interface JobSettlement {
  job: ClaimedJob;
  status: 'success' | 'retried' | 'dead_lettered' | 'failed';
  end: RunEnd;
  response: StoredResponse | null;
  /** The next attempt, a new job with a new id. */
  next: { id: string; scheduledAt: number } | null;
  callback: CallbackToSend | null;
  /** The level of the alert that it raises (§6.4). */
  alert: 'warning' | 'failure' | null;
}

export const ENDED = {
  team_id: 'id',
  id: 'id',
  status: 'text',
  completed_at: 'bigint',
  response_status: 'int',
  reason: 'text',
  error_message: 'text',
  duration_ms: 'int',
} as const satisfies Fields;

/** A run that ended, as `ENDED` packs it. */
export function endedRow<Status extends string>(
  run: { teamId: string; id: string },
  status: Status,
  end: RunEnd,
) {
  return {
    team_id: run.teamId,
    id: run.id,
    status,
    completed_at: end.completedAt,
    response_status: end.responseStatus,
    reason: end.reason,
    error_message: end.errorMessage,
    duration_ms: end.durationMs,
  };
}

/** The next attempts of those that are retried. */
export function copiesOf(settlements: readonly JobSettlement[]): JobCopy[] {
  return settlements.flatMap(({ job, next, end }) =>
    next === null
      ? []
      : [
          {
            teamId: job.teamId,
            fromId: job.id,
            id: next.id,
            originalId: job.originalId,
            attemptNumber: job.attemptNumber + 1,
            createdAt: end.completedAt,
            scheduledAt: next.scheduledAt,
          },
        ],
  );
}
