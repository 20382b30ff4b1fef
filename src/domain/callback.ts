/** Callbacks (§6.1–§6.3). */

import type { OutgoingRequest } from './exchange.ts';
import { formatInstant } from './instant.ts';
import { escapeJsonAnswer } from './json/text.ts';
import { dropFragment } from './query.ts';
import { withDefaultHeaders } from './request.ts';

interface Ending {
  responseStatus: number | null;
  durationMs: number;
  /** Null after a success, and for a cron after a plain HTTP error (§6.3). */
  errorMessage: string | null;
  completedAt: number;
}

interface JobEnding extends Ending {
  jobId: string;
  originalJobId: string;
  status: 'success' | 'dead_lettered';
  attemptNumber: number;
}

interface CronEnding extends Ending {
  cronId: string;
  executionId: string;
  status: 'success' | 'failed';
}

/** ASCII JSON with the fields in the order of §6.2. */
export function jobCallbackBody(ending: JobEnding): string {
  return escapeJsonAnswer({
    type: 'job_execution',
    job_id: ending.jobId,
    original_job_id: ending.originalJobId,
    status: ending.status,
    response_status: ending.responseStatus,
    duration_ms: Math.round(ending.durationMs),
    error_message: ending.errorMessage,
    attempt_number: ending.attemptNumber,
    completed_at: formatInstant(ending.completedAt),
  });
}

export function cronCallbackBody(ending: CronEnding): string {
  return escapeJsonAnswer({
    type: 'cron_execution',
    cron_id: ending.cronId,
    execution_id: ending.executionId,
    status: ending.status,
    response_status: ending.responseStatus,
    duration_ms: Math.round(ending.durationMs),
    error_message: ending.errorMessage,
    completed_at: formatInstant(ending.completedAt),
  });
}

const HEADERS = withDefaultHeaders([], true);

/** Unsigned (see `signRequest`). The URL loses its fragment (§2.9). */
export function buildCallbackRequest(url: string, body: string): OutgoingRequest {
  return {
    method: 'POST',
    url: dropFragment(url),
    headers: HEADERS,
    body: Buffer.from(body, 'utf8'),
  };
}
