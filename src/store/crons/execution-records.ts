import type { ExecutionStatus } from '#domain/run-status';
import type { EndedExecutionsTable } from '../database/schema.ts';
import type { StoredExecutionRow, WholeExecutionRow } from '../runs/every-run.ts';

/** An execution record (§2.5). */
export interface ExecutionRecord {
  teamId: string;
  id: string;
  cronId: string;
  scheduledFor: number | null;
  status: ExecutionStatus;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
  responseStatus: number | null;
  reason: EndedExecutionsTable['reason'];
  errorMessage: string | null;
  durationMs: number | null;
}

export interface ExecutionDetail extends ExecutionRecord {
  response: { body: Uint8Array; totalBytes: number; trace: string | null } | null;
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
  return {
    teamId: row.team_id,
    id: row.id,
    cronId: row.cron_id,
    scheduledFor: row.scheduled_for,
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

export function executionDetail(row: WholeExecutionRow): ExecutionDetail {
  const response =
    row.body === null
      ? null
      : { body: row.body, totalBytes: row.total_bytes ?? 0, trace: row.trace };
  return { ...executionRecord(row), response };
}
