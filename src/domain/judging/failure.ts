/** Stored with the run (§2.7). 3xx and undefined statuses are stored as null. */
export const FAILURE_REASONS = [
  'http_client_error',
  'http_server_error',
  'timeout',
  'limit_exceeded',
  'connection_error',
  'cannot_resolve_host',
  'blocked_address',
  'assertion_failed',
  'worker_failed',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export const FAILURE_TEXTS = {
  unresolvable: 'Cannot resolve host',
  blocked: 'The URL resolves to a blocked IP address.',
  limitReached: 'Monthly limit reached',
  workerStopped: 'The worker stopped while the request was running.',
} as const;

/** A redirect or an undefined status (§2.7). */
export function describeUnknown(responseStatus: number | null): string {
  if (responseStatus === null) return 'Unknown error';
  const isRedirect = responseStatus >= 300 && responseStatus <= 399;
  return `Unknown error (HTTP ${responseStatus}${isRedirect ? ', redirect not followed' : ''})`;
}

export function isUnknown(run: {
  responseStatus: number | null;
  reason: FailureReason | null;
}): boolean {
  const { responseStatus, reason } = run;
  return (
    reason === null && responseStatus !== null && (responseStatus < 200 || responseStatus > 299)
  );
}

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
