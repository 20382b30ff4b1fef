/** The callbacks about the end of a job or a cron's run (§6.1–§6.3). */

import type { OutgoingRequest } from './exchange.ts';
import type { FailureReason } from './failure.ts';
import { formatInstant } from './instant.ts';
import { escapeJsonAnswer } from './json/text.ts';
import { dropFragment } from './query.ts';
import { withDefaultHeaders } from './request.ts';

/** How a job's attempt or a cron's run ended. */
interface Ending {
  /** Null when no response came. */
  responseStatus: number | null;
  durationMs: number;
  /** The text of the failure; left out of the callback on success. */
  errorMessage: string | null;
  /** Milliseconds since 1970 UTC. */
  completedAt: number;
}

export interface JobEnding extends Ending {
  /** The attempt that finished. */
  jobId: string;
  /** Its first attempt. */
  originalJobId: string;
  status: 'success' | 'dead_lettered';
  /** From 1. */
  attemptNumber: number;
}

export interface CronEnding extends Ending {
  cronId: string;
  executionId: string;
  status: 'success' | 'failed';
  failureReason: FailureReason | null;
}

/** The body of a job's callback (§6.2): pure ASCII JSON, its fields in the order of the table. */
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

/** The body of a cron's callback (§6.3). A plain HTTP error has no error message there (§2.7). */
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

/**
 * Whether a complete response failed by its status alone. Redirects and odd statuses, which have no reason, are
 * included.
 */
function isPlainHttpError(reason: FailureReason | null): boolean {
  return reason === null || reason === 'http_client_error' || reason === 'http_server_error';
}

const HEADERS = withDefaultHeaders([], true);

/**
 * The callback as an unsigned request (see `signRequest`). The URL is used as given, without its fragment (§6.1,
 * §2.9).
 */
export function buildCallbackRequest(url: string, body: string): OutgoingRequest {
  return {
    method: 'POST',
    url: dropFragment(url),
    headers: HEADERS,
    body: Buffer.from(body, 'utf8'),
  };
}
