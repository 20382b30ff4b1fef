/** Callbacks (§6.1–§6.3). */

import type { OutgoingRequest } from './exchange.ts';
import type { FailureReason } from './failure.ts';
import { formatInstant } from './instant.ts';
import { escapeJsonAnswer } from './json/text.ts';
import { dropFragment } from './query.ts';
import { withDefaultHeaders } from './request.ts';

interface Ending {
  responseStatus: number | null;
  durationMs: number;
  /** Left out on success. */
  errorMessage: string | null;
  completedAt: number;
}

export interface JobEnding extends Ending {
  jobId: string;
  originalJobId: string;
  status: 'success' | 'dead_lettered';
  attemptNumber: number;
}

export interface CronEnding extends Ending {
  cronId: string;
  executionId: string;
  status: 'success' | 'failed';
  failureReason: FailureReason | null;
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
    error_message: ending.status === 'success' ? null : ending.errorMessage,
    attempt_number: ending.attemptNumber,
    completed_at: formatInstant(ending.completedAt),
  });
}

/** A plain HTTP error has no message here (§6.3). */
export function cronCallbackBody(ending: CronEnding): string {
  const isSilent = ending.status === 'success' || isPlainHttpError(ending.failureReason);
  return escapeJsonAnswer({
    type: 'cron_execution',
    cron_id: ending.cronId,
    execution_id: ending.executionId,
    status: ending.status,
    response_status: ending.responseStatus,
    duration_ms: Math.round(ending.durationMs),
    error_message: isSilent ? null : ending.errorMessage,
    completed_at: formatInstant(ending.completedAt),
  });
}

/** Includes redirects and undefined statuses. */
function isPlainHttpError(reason: FailureReason | null): boolean {
  return reason === null || reason === 'http_client_error' || reason === 'http_server_error';
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
