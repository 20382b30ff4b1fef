import { decideAfterAttempt } from '#domain/after-attempt';
import { needsOf } from '#domain/assertions';
import { cronCallbackBody, jobCallbackBody } from '#domain/callback';
import type { Clock } from '#domain/clock';
import type { Exchange, Sender } from '#domain/exchange';
import { newId } from '#domain/ids';
import { decideJobAlert } from '#domain/job-alert';
import { evaluateAnswer, judgeExchange, type Verdict } from '#domain/judge';
import { readCronPayload } from '#domain/payload';
import { buildRequest } from '#domain/request';
import { hashPayload, writeTrace } from '#domain/run-trace';
import { addSignature, makeSignature, type Signature, signatureOf } from '#domain/signature';
import type { CallbackToSend } from '#store/callbacks';
import type { ClaimedExecution, ClaimedJob } from '#store/claims';
import type { QueueSettings } from '#store/queues';
import type { ExecutionSettlement } from '#store/settle-executions';
import type { JobSettlement, RunEnd, StoredResponse } from '#store/settlement';

/** The rules that a job's queue has when its attempt ends; a queue that is gone retries nothing and tells nobody. */
export type ReadRetryPolicy = (
  job: ClaimedJob,
) => Promise<Pick<QueueSettings, 'retriesEnabled' | 'retrySchedule' | 'emailAlerts'> | null>;

const NEVER_RETRIED = { retriesEnabled: false, retrySchedule: [], emailAlerts: false };

/** Sends one attempt of a job and decides what follows (§2.7, §3.2). Asks and decides; writes nothing. */
export async function attemptJob(
  job: ClaimedJob,
  sender: Sender,
  clock: Clock,
  readRetryPolicy: ReadRetryPolicy,
): Promise<JobSettlement> {
  const payload = job.payload === null ? null : ({ kind: 'json', text: job.payload } as const);
  const { exchange, signature } = await exchangeFor(job, { ...job, payload }, sender, clock);
  const verdicts = evaluateAnswer(exchange, job.assertions);
  const verdict = judgeExchange(exchange, job.assertions, 'job', verdicts);
  const policy = verdict.ok ? NEVER_RETRIED : ((await readRetryPolicy(job)) ?? NEVER_RETRIED);
  const step = decideAfterAttempt(verdict, job.attemptNumber, policy);
  const alert = decideJobAlert(step, job.attemptNumber, policy.emailAlerts);
  const end = endOf(exchange, verdict, clock.now());
  const response = responseOf(exchange, writeTrace(exchange.trace, verdicts, { signature }));
  if (step.kind === 'retry') {
    const next = {
      id: newId(end.completedAt),
      scheduledAt: end.completedAt + step.afterSeconds * 1000,
    };
    return { job, status: 'retried', end, response, next, callback: null, alert };
  }
  const status = step.kind === 'finish' ? 'success' : 'dead_lettered';
  const callback = callbackOf(job, end, () =>
    jobCallbackBody({
      jobId: job.id,
      originalJobId: job.originalId,
      status,
      attemptNumber: job.attemptNumber,
      ...end,
    }),
  );
  return { job, status, end, response, next: null, callback, alert };
}

/** Sends one run of a cron. Executions are never retried (§3.1). */
export async function attemptExecution(
  execution: ClaimedExecution,
  sender: Sender,
  clock: Clock,
): Promise<ExecutionSettlement> {
  const payload = readCronPayload(execution.payload);
  const spec = { ...execution, payload };
  const { exchange, signature } = await exchangeFor(execution, spec, sender, clock);
  const verdicts = evaluateAnswer(exchange, execution.assertions);
  const verdict = judgeExchange(exchange, execution.assertions, 'cron', verdicts);
  const end = endOf(exchange, verdict, clock.now());
  const status = verdict.ok ? 'success' : 'failed';
  const callback = callbackOf(execution, end, () =>
    cronCallbackBody({
      cronId: execution.cronId,
      executionId: execution.id,
      status,
      failureReason: end.reason,
      ...end,
    }),
  );
  const { method, url } = execution;
  const sent = { method, url, payloadHash: hashPayload(execution.payload) };
  const trace = writeTrace(exchange.trace, verdicts, { signature, sent });
  return { execution, status, end, response: responseOf(exchange, trace), callback };
}

async function exchangeFor(
  run: ClaimedJob | ClaimedExecution,
  spec: Parameters<typeof buildRequest>[0],
  sender: Sender,
  clock: Clock,
): Promise<{ exchange: Exchange; signature: Signature | null }> {
  const request = buildRequest(spec);
  if (request === 'query-too-long') {
    return { exchange: notSendable('the query string is too long'), signature: null };
  }
  const signature = makeSignature(run.signingSecret, clock.now(), request.body);
  const exchange = await sender.send(addSignature(request, signature), {
    timeoutSeconds: run.timeoutSeconds,
    needs: needsOf(run.assertions),
  });
  return { exchange, signature: signatureOf(exchange, signature) };
}

function notSendable(what: string): Exchange {
  const timing = { dnsMs: null, connectMs: null, tlsMs: null, waitingMs: null, receivingMs: null };
  const trace = { timing, address: null, responseHeaders: [] };
  return { kind: 'broken', what, status: null, durationMs: 0, trace };
}

function endOf(exchange: Exchange, verdict: Verdict, completedAt: number): RunEnd {
  return {
    completedAt,
    responseStatus: 'status' in exchange ? exchange.status : null,
    reason: verdict.ok ? null : verdict.reason,
    errorMessage: verdict.ok ? null : verdict.errorMessage,
    durationMs: Math.round(exchange.durationMs),
  };
}

function responseOf(exchange: Exchange, trace: string): StoredResponse {
  if (exchange.kind !== 'answered') return { body: NO_BYTES, totalBytes: 0, trace };
  return { body: exchange.body.stored, totalBytes: exchange.body.totalBytes, trace };
}

const NO_BYTES = new Uint8Array();

function callbackOf(
  run: ClaimedJob | ClaimedExecution,
  end: RunEnd,
  writeBody: () => string,
): CallbackToSend | null {
  if (run.callbackUrl === null) return null;
  return {
    teamId: run.teamId,
    id: newId(end.completedAt),
    runId: run.id,
    url: run.callbackUrl,
    body: writeBody(),
    createdAt: end.completedAt,
  };
}
