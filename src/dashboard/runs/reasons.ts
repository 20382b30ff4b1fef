/** Failure reasons as labels for lists and filters. */
import { describeUnknown, type FailureReason, isUnknown } from '#domain/failure';

export const reasonNames: Readonly<Record<FailureReason | 'unknown', string>> = {
  http_client_error: 'HTTP client error',
  http_server_error: 'HTTP server error',
  timeout: 'Timeout',
  connection_error: 'Connection error',
  cannot_resolve_host: 'Cannot resolve host',
  blocked_address: 'Blocked address',
  assertion_failed: 'Assertion failed',
  limit_exceeded: 'Monthly limit',
  worker_failed: 'Worker failed',
  unknown: describeUnknown(null),
};

export const reasons = Object.keys(reasonNames) as (FailureReason | 'unknown')[];

/** A group of failures in few words: `HTTP server error, 503`, `Unknown error (HTTP 302)`. */
export function describeGroup(
  reason: FailureReason | 'unknown',
  statusCode: number | null,
): string {
  if (reason === 'unknown') return describeUnknown(statusCode);
  return statusCode === null ? reasonNames[reason] : `${reasonNames[reason]}, ${statusCode}`;
}

/** What came of a run in few words, for a row: `HTTP 503`, `Timeout`, `Unknown error (HTTP 302)`. */
export function describeOutcome(run: {
  responseStatus: number | null;
  reason: FailureReason | null;
}): string {
  const { responseStatus, reason } = run;
  if (reason !== null && reason !== 'http_client_error' && reason !== 'http_server_error')
    return reasonNames[reason];
  if (isUnknown(run)) return describeUnknown(responseStatus);
  return responseStatus === null ? '–' : `HTTP ${responseStatus}`;
}

/** True for failures of which it is known that nothing left the service. */
export function isUnsent(reason: FailureReason | null): boolean {
  return (
    reason === 'limit_exceeded' || reason === 'blocked_address' || reason === 'cannot_resolve_host'
  );
}

/** Whether the run's request may have gone out, so that it is shown as the one that was sent. */
export function mayBeSent(run: {
  startedAt: number | null;
  completedAt: number | null;
  reason: FailureReason | null;
}): boolean {
  return run.startedAt !== null && run.completedAt !== null && !isUnsent(run.reason);
}
