import type { FoundRun } from '#store/lists/search';

/** A run as files and the command line have it. */
export interface RunRecord {
  id: string;
  kind: 'job' | 'cron';
  completed_at: string | null;
  source_id: string;
  source: string;
  method: string;
  url: string;
  status: string;
  attempt_number: number | null;
  scheduled_at: string | null;
  started_at: string | null;
  duration_ms: number | null;
  response_status: number | null;
  reason: string | null;
  fault: string | null;
  error_message: string | null;
  retried_as: string | null;
}

/** In the order of the columns of a file. */
export const RUN_COLUMNS = [
  'id',
  'kind',
  'completed_at',
  'source_id',
  'source',
  'method',
  'url',
  'status',
  'attempt_number',
  'scheduled_at',
  'started_at',
  'duration_ms',
  'response_status',
  'reason',
  'fault',
  'error_message',
  'retried_as',
] as const satisfies readonly (keyof RunRecord)[];

export function writeRun(run: FoundRun): RunRecord {
  return {
    id: run.id,
    kind: run.kind === 'job' ? 'job' : 'cron',
    completed_at: writeTime(run.at),
    source_id: run.sourceId,
    source: run.sourceName,
    method: run.method,
    url: run.url,
    status: run.status,
    attempt_number: run.attemptNumber,
    scheduled_at: writeTime(run.scheduledAt),
    started_at: writeTime(run.startedAt),
    duration_ms: run.durationMs,
    response_status: run.responseStatus,
    reason: run.reason,
    fault: run.fault,
    error_message: run.errorMessage,
    retried_as: run.retriedAs,
  };
}

/** As the other records of the command line have it. */
function writeTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString().replace('Z', '+00:00');
}
