import type { ExecutionStatus } from '#domain/run-status';
import type { StoredExecutionRow, WholeExecutionRow } from '../runs/every-run.ts';
import { responseOf, type RunRecord, runRecord, type StoredResponse } from '../runs/run-records.ts';

/** An execution record (§2.5). */
export interface ExecutionRecord extends RunRecord<ExecutionStatus> {
  cronId: string;
  scheduledFor: number | null;
}

export interface ExecutionDetail extends ExecutionRecord {
  response: StoredResponse | null;
}

/** The columns of an end, of an execution that has none yet. */
export const NOT_ENDED = {
  completed_at: null,
  response_status: null,
  reason: null,
  error_message: null,
  duration_ms: null,
};

export function executionRecord(row: StoredExecutionRow): ExecutionRecord {
  return { ...runRecord(row), cronId: row.cron_id, scheduledFor: row.scheduled_for };
}

export function executionDetail(row: WholeExecutionRow): ExecutionDetail {
  return { ...executionRecord(row), response: responseOf(row) };
}
