/** Why a run failed, as stored with it (D21); a failure without a reason (3xx, odd statuses) has null. */
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
