/** Callbacks (§6.1–§6.3). */

import { formatInstant } from '../base/instant.ts';
import { escapeJsonAnswer } from '../json/text.ts';

interface Ending {
  responseStatus: number | null;
  durationMs: number;
  /** Null after a success, and for a cron after a plain HTTP error (§6.3). */
  errorMessage: string | null;
  completedAt: number;
}

/** ASCII JSON with the fields in the order of §6.2. */
export function jobCallbackBody(
  job: { id: string; originalId: string; attemptNumber: number },
  status: 'success' | 'dead_lettered',
  end: Ending,
): string {
  return escapeJsonAnswer({
    type: 'job_execution',
    job_id: job.id,
    original_job_id: job.originalId,
    ...describeOutcome(status, end),
    attempt_number: job.attemptNumber,
    completed_at: formatInstant(end.completedAt),
  });
}

export function cronCallbackBody(
  execution: { id: string; cronId: string },
  status: 'success' | 'failed',
  end: Ending,
): string {
  return escapeJsonAnswer({
    type: 'cron_execution',
    cron_id: execution.cronId,
    execution_id: execution.id,
    ...describeOutcome(status, end),
    completed_at: formatInstant(end.completedAt),
  });
}

function describeOutcome(status: string, { responseStatus, durationMs, errorMessage }: Ending) {
  return {
    status,
    response_status: responseStatus,
    duration_ms: Math.round(durationMs),
    error_message: errorMessage,
  };
}
