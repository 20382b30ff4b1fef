import { decideJobAlert, decideRetry } from '#domain/judging/after-attempt';
import { type SeenCertificate, seeCertificate } from '#domain/http/certificate';
import { cronCallbackBody, jobCallbackBody } from '#domain/judging/callback';
import type { Clock } from '#domain/base/clock';
import type { Exchange, OutgoingRequest } from '#domain/http/exchange';
import { newId } from '#domain/base/ids';
import { evaluateAnswer, judgeExchange, type Verdict } from '#domain/judging/judge';
import { readCronPayload } from '#domain/http/payload';
import { buildRequest } from '#domain/http/request';
import { hashPayload, writeTrace } from '#domain/runs/run-trace';
import type { Signature } from '#domain/http/signature';
import type { CallbackToSend } from '#store/callbacks/callbacks';
import type { ClaimedExecution, ClaimedJob } from '#store/runs/claims';
import type { QueuePolicy } from '#store/queues/queues';
import type { RunEnd, Settlement, StoredResponse } from '#store/runs/settlement';

export type Run = ClaimedJob | ClaimedExecution;

export interface Answer {
  ok: boolean;
  end: RunEnd;
  /** Null if it isn't stored. */
  response: StoredResponse | null;
  /** Null without a new TLS connection. */
  certificate: SeenCertificate | null;
}

export function requestOf(run: Run): OutgoingRequest | 'query-too-long' {
  const { method, url, headers } = run;
  return buildRequest({ method, url, headers, payload: payloadOf(run) });
}

/** By the rules of §2.7. */
export function answerOf(
  run: Run,
  exchange: Exchange,
  signature: Signature | null,
  { clock, responseKeepBytes }: { clock: Clock; responseKeepBytes: number },
): Answer {
  const verdicts = evaluateAnswer(exchange, run.assertions);
  const kind = run.kind === 'job' ? 'job' : 'cron';
  const verdict = judgeExchange(exchange, verdicts, kind);
  const end = endOf(exchange, verdict, clock.now());
  const trace = writeTrace(exchange.trace, verdicts, { signature, ...sentOf(run) });
  const { certificate } = exchange.trace;
  return {
    ok: verdict.ok,
    end,
    response: responseOf(exchange, trace, run.keepsResponseBody ? responseKeepBytes : 0),
    certificate: certificate ? seeCertificate(certificate, end.completedAt) : null,
  };
}

/** The cron may be changed later; a job's request can't. */
function sentOf({ kind, method, url, payload }: Run) {
  return kind === 'job' ? {} : { sent: { method, url, payloadHash: hashPayload(payload) } };
}

/** Stored data can't be read. */
export function notSent(errorMessage: string, completedAt: number): Answer {
  const failure = { reason: 'worker_failed', errorMessage } as const;
  const end = { completedAt, responseStatus: null, durationMs: 0, ...failure };
  return { ok: false, end, response: null, certificate: null };
}

/**
 * §3.1, §3.2
 * @param policy the queue's rules at the attempt's end (§3.4); ignored after a success, and for executions
 */
export function settlementOf(
  run: Run,
  { ok, end, response, certificate }: Answer,
  policy: QueuePolicy,
): Settlement {
  const settled = { run, end, response, certificate };
  if (run.kind === 'execution') {
    const status = ok ? 'success' : 'failed';
    const callback = callbackOf(run, end, () => cronCallbackBody(run, status, end));
    return { ...settled, status, next: null, callback, alert: null };
  }
  const retryAt = ok ? null : decideRetry(run.attemptNumber, end, policy);
  const status = retryAt !== null ? 'retried' : ok ? 'success' : 'dead_lettered';
  const alert = decideJobAlert(status, run.attemptNumber, policy.emailAlerts);
  const next = retryAt === null ? null : { id: newId(end.completedAt), scheduledAt: retryAt };
  const callback =
    status === 'retried' ? null : callbackOf(run, end, () => jobCallbackBody(run, status, end));
  return { ...settled, status, next, callback, alert };
}

function payloadOf({ kind, payload }: Run) {
  if (kind === 'execution') return readCronPayload(payload);
  return payload === null ? null : ({ kind: 'json', text: payload } as const);
}

function endOf(exchange: Exchange, { reason, errorMessage }: Verdict, completedAt: number): RunEnd {
  const responseStatus = 'status' in exchange ? exchange.status : null;
  const durationMs = Math.round(exchange.durationMs);
  return { completedAt, responseStatus, reason, errorMessage, durationMs };
}

function responseOf(exchange: Exchange, trace: string, keepBytes: number): StoredResponse {
  if (exchange.kind !== 'answered') return { body: NO_BYTES, totalBytes: 0, trace };
  const { stored, totalBytes } = exchange.body;
  // A copy, so the rest of the body doesn't stay in memory.
  const body = stored.length > keepBytes ? Uint8Array.from(stored.subarray(0, keepBytes)) : stored;
  return { body, totalBytes, trace };
}

const NO_BYTES = new Uint8Array();

/** None after our own failure (§6.2); for a cron after every run (§6.3). */
function callbackOf(run: Run, end: RunEnd, writeBody: () => string): CallbackToSend | null {
  if (run.callbackUrl === null) return null;
  if (run.kind === 'job' && end.reason === 'worker_failed') return null;
  return {
    teamId: run.teamId,
    id: newId(end.completedAt),
    runId: run.id,
    url: run.callbackUrl,
    body: writeBody(),
    createdAt: end.completedAt,
  };
}
