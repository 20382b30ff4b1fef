import type { FailureReason } from '#domain/failure';
import type { ExecutionStatus, JobStatus } from '#domain/run-status';
import type { StoredExecutionRow, WholeExecutionRow } from './every-run.ts';

/** The common fields of the records of a job's attempt and of an execution (§2.5), without large or secret parts. */
export interface RunRecord<Status = JobStatus | ExecutionStatus> {
  teamId: string;
  id: string;
  status: Status;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
  responseStatus: number | null;
  reason: FailureReason | null;
  errorMessage: string | null;
  durationMs: number | null;
}

/** The stored part of a response. */
export interface StoredResponse {
  body: Uint8Array;
  totalBytes: number;
  /** JSON of `RunTrace`. */
  trace: string | null;
}

type StoredRow<Status> = Omit<StoredExecutionRow, 'cron_id' | 'scheduled_for' | 'status'> & {
  status: Status;
};

export function runRecord<Status>(row: StoredRow<Status>): RunRecord<Status> {
  return {
    teamId: row.team_id,
    id: row.id,
    status: row.status,
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    responseStatus: row.response_status,
    reason: row.reason,
    errorMessage: row.error_message,
    durationMs: row.duration_ms,
  };
}

/** Null while a run has no response. */
export function responseOf({
  body,
  total_bytes,
  trace,
}: Pick<WholeExecutionRow, 'body' | 'total_bytes' | 'trace'>): StoredResponse | null {
  return body === null ? null : { body, totalBytes: total_bytes ?? 0, trace };
}
