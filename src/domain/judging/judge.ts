import type { Assertion } from './assertion.ts';
import { type AssertionVerdict, describeFailure, evaluateAssertions } from './assertions.ts';
import type { Exchange } from '../http/exchange.ts';
import { faultMessage } from '../http/connection-faults.ts';
import { FAILURE_TEXTS, type FailureReason } from './failure.ts';

export interface Verdict {
  ok: boolean;
  reason: FailureReason | null;
  /** Null for a success, and for a cron's plain HTTP error (§6.3). */
  errorMessage: string | null;
}

/** For runs that weren't sent because stored data can't be read. They count as worker failures. */
export const UNREADABLE_TEXTS = {
  headers: "The stored headers can't be opened with this APP_KEY.",
  secret: "The team's signing secret can't be opened with this APP_KEY.",
  assertions: "The stored assertions can't be read.",
  payload: "The stored payload can't be read.",
} as const;

const SUCCESS: Verdict = { ok: true, reason: null, errorMessage: null };

/**
 * §2.7. Assertions (§2.4) apply to 2xx only; the first failure is reported.
 * @param verdicts the result of `evaluateAnswer`
 * @param kind jobs report `HTTP 503 error`; crons have no text for a status
 */
export function judgeExchange(
  exchange: Exchange,
  verdicts: readonly AssertionVerdict[],
  kind: 'job' | 'cron',
): Verdict {
  switch (exchange.kind) {
    case 'timed-out':
      return failure('timeout', `Request timed out after ${exchange.afterSeconds} seconds`);
    case 'broken':
      return failure('connection_error', faultMessage(exchange.fault));
    case 'unresolvable':
      return failure('cannot_resolve_host', FAILURE_TEXTS.unresolvable);
    case 'blocked':
      return failure('blocked_address', FAILURE_TEXTS.blocked);
    case 'answered':
      return judgeAnswer(exchange, kind, verdicts);
  }
}

/** Empty if it isn't a 2xx (§2.4). */
export function evaluateAnswer(
  exchange: Exchange,
  assertions: readonly Assertion[],
): AssertionVerdict[] {
  if (exchange.kind !== 'answered' || !isSuccess(exchange.status)) return [];
  return assertions.length === 0 ? [] : evaluateAssertions(assertions, exchange);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function judgeAnswer(
  answer: Extract<Exchange, { kind: 'answered' }>,
  kind: 'job' | 'cron',
  verdicts: readonly AssertionVerdict[],
): Verdict {
  const { status } = answer;
  if (!isSuccess(status)) {
    return failure(reasonOfStatus(status), kind === 'job' ? `HTTP ${status} error` : null);
  }
  const broken = verdicts.find((verdict) => !verdict.ok);
  if (broken === undefined) return SUCCESS;
  return failure('assertion_failed', `Assertion failed: ${describeFailure(broken)}`);
}

function reasonOfStatus(status: number): FailureReason | null {
  if (status >= 400 && status <= 499) return 'http_client_error';
  if (status >= 500 && status <= 599) return 'http_server_error';
  return null;
}

function failure(reason: FailureReason | null, errorMessage: string | null): Verdict {
  return { ok: false, reason, errorMessage };
}
