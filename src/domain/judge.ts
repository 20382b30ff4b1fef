import type { Assertion } from './assertion.ts';
import { type AssertionVerdict, describeFailure, evaluateAssertions } from './assertions.ts';
import type { Exchange } from './exchange.ts';
import { faultMessage } from './connection-faults.ts';
import { FAILURE_TEXTS, type FailureReason } from './failure.ts';

/** `errorMessage` is null where a failure has no text of its own (a cron's plain HTTP error, §6.3). */
export type Verdict =
  | { ok: true }
  | { ok: false; reason: FailureReason | null; errorMessage: string | null };

/** Of a run that was not sent, because something that is stored of it can't be read any more. It counts as a worker failure. */
export const UNREADABLE_TEXTS = {
  headers: "The stored headers can't be opened with this APP_KEY.",
  secret: "The team's signing secret can't be opened with this APP_KEY.",
  assertions: "The stored assertions can't be read.",
  payload: "The stored payload can't be read.",
} as const;

const SUCCESS: Verdict = { ok: true };

/**
 * Judges one exchange with a target (§2.7; assertions §2.4).
 *
 * Assertions count for a 2xx only; the first that fails is reported. A redirect is a failure, never
 * followed. Whether a failure is retried is not decided here. Never throws.
 *
 * @param verdicts  what `evaluateAnswer` gave, where it was asked before
 * @param kind  jobs say `HTTP 503 error` for an answer that is no success; crons leave the text to the status
 */
export function judgeExchange(
  exchange: Exchange,
  assertions: readonly Assertion[],
  kind: 'job' | 'cron',
  verdicts: readonly AssertionVerdict[] = evaluateAnswer(exchange, assertions),
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

/** Every assertion held against an answer; none where there was no 2xx to hold them against (§2.4). */
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
