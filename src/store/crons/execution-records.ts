import { type RecordOf, toRecord } from '../database/records.ts';
import type { StoredExecutionRow, WholeExecutionRow } from '../runs/every-run.ts';
import { type ResponseRecord, responseOf, RUN_COLUMNS } from '../runs/run-records.ts';

const RECORD_COLUMNS = [...RUN_COLUMNS, 'cron_id', 'scheduled_for'] as const;
type RecordRow = Pick<StoredExecutionRow, (typeof RECORD_COLUMNS)[number]>;

/** An execution in the form of exports and the command line (§2.5). */
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
