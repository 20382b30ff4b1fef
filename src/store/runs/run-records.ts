import type { ExecutionStatus, JobStatus } from '#domain/runs/run-status';
import { type RecordOf, toRecord } from '../database/records.ts';
import type { StoredExecutionRow, WholeExecutionRow } from './every-run.ts';
import type { StoredResponse } from './settlement.ts';

export const RUN_COLUMNS = [
  'team_id',
  'id',
  'status',
  'created_at',
  'started_at',
  'completed_at',
  'response_status',
  'reason',
  'error_message',
  'duration_ms',
  'actor',
] as const;

type RunRow<Status> = Omit<Pick<StoredExecutionRow, (typeof RUN_COLUMNS)[number]>, 'status'> & {
  status: Status;
};

/** Without large or secret parts. */
export type RunRecord<Status = JobStatus | ExecutionStatus> = RecordOf<RunRow<Status>>;

export function runRecord<Status>(row: RunRow<Status>): RunRecord<Status> {
  return toRecord(row, RUN_COLUMNS);
}

export type ResponseRecord = Omit<StoredResponse, 'trace'> & { trace: string | null };

/** Null without a response. */
export function responseOf({
  body,
  total_bytes,
  trace,
}: Pick<WholeExecutionRow, 'body' | 'total_bytes' | 'trace'>): ResponseRecord | null {
  return body === null ? null : { body, totalBytes: total_bytes ?? 0, trace };
}

const RECORD_COLUMNS = [...RUN_COLUMNS, 'cron_id', 'scheduled_for'] as const;
type RecordRow = Pick<StoredExecutionRow, (typeof RECORD_COLUMNS)[number]>;

/** For exports and the command line (§2.5). */
export type ExecutionRecord = RecordOf<RecordRow>;

export interface ExecutionDetail extends ExecutionRecord {
  response: ResponseRecord | null;
}

export const NOT_ENDED = {
  completed_at: null,
  response_status: null,
  reason: null,
  error_message: null,
  duration_ms: null,
};

export function executionRecord(row: RecordRow): ExecutionRecord {
  return toRecord(row, RECORD_COLUMNS);
}

export function executionDetail(row: WholeExecutionRow): ExecutionDetail {
  return { ...executionRecord(row), response: responseOf(row) };
}
