import { CONNECTION_FAULTS, type FaultCode } from '#domain/http/connection-faults';
import { isSent, type Timing } from '#domain/http/exchange';
import {
  describeUnknown,
  type FailureReason,
  isUnknown,
  reasonNames,
  reasons,
} from '#domain/judging/failure';
import type { StatusName } from '../parts/Status.tsx';
import { capitalize, NOTHING } from '../words/amounts.ts';
import type { JobListRow } from '../services.ts';

/** `HTTP server error, 503`, `Unknown error (HTTP 302, redirect not followed)`. */
export function describeGroup(
  reason: FailureReason | 'unknown',
  statusCode: number | null,
): string {
  if (reason === 'unknown') return describeUnknown(statusCode);
  return statusCode === null ? reasonNames[reason] : `${reasonNames[reason]}, ${statusCode}`;
}

/** `HTTP 503`, `Timeout` */
export function describeOutcome(run: {
  responseStatus: number | null;
  reason: FailureReason | null;
}): string {
  const { responseStatus, reason } = run;
  if (reason !== null && reason !== 'http_client_error' && reason !== 'http_server_error')
    return reasonNames[reason];
  if (isUnknown(run)) return describeUnknown(responseStatus);
  return responseStatus === null ? NOTHING : `HTTP ${responseStatus}`;
}

export function describeFault(fault: FaultCode): string {
  return capitalize(CONNECTION_FAULTS[fault].says);
}

/** Nothing can have been sent. @param timing null if it is not stored */
export function isUnsent(reason: FailureReason | null, timing: Timing | null): boolean {
  if (timing !== null) return !isSent(timing);
  return (
    reason === 'limit_exceeded' || reason === 'blocked_address' || reason === 'cannot_resolve_host'
  );
}

/** It is then shown as sent. */
export function mayBeSent(
  run: { startedAt: number | null; completedAt: number | null; reason: FailureReason | null },
  timing: Timing | null,
): boolean {
  return run.startedAt !== null && run.completedAt !== null && !isUnsent(run.reason, timing);
}

export const reasonOptions = [
  ['', 'Any reason'] as const,
  ...reasons.map((reason) => [reason, reasonNames[reason]] as const),
];

/** A waiting retry has its own, as it has its own tab (§3.3). */
export function jobStatus({
  status,
  attemptNumber,
}: Pick<JobListRow, 'status' | 'attemptNumber'>): StatusName {
  if (status === 'pending') return attemptNumber > 1 ? 'retrying' : 'pending';
  return status;
}
