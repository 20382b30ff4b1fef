import { isId } from '#domain/base/ids';
import { readCronPayload } from '#domain/http/payload';
import { hashPayload, readTrace, type RunTrace } from '#domain/runs/run-trace';
import type { IsSecretHeader } from '#domain/http/secret-headers';
import type { ExecutionDetail } from '#store/crons/crons';
import type { JobDetail, JobRecord } from '#store/jobs/job-records';
import type { Queue } from '#store/queues/queues';
import type { Store } from '#store/store';
import { type Doing, jobSubject } from './acting.ts';
import {
  decodeBody,
  type Explanation,
  showHeaders,
  type Showing,
  type ShownCallback,
  type ShowOptions,
  showRun,
  withMasks,
} from './run-detail.ts';
import { writeCronCall, writeJobCall } from './resources/api-call.ts';

export function createRunPages(store: Store, doing: Doing, isSecretHeader: IsSecretHeader) {
  const { jobs, crons } = store;
  const showing = ({ showSecrets = false, isWhole = false }: ShowOptions = {}): Showing => {
    return { isSecretHeader, showSecrets: showSecrets && doing.may('work'), isWhole };
  };
  return {
    /** Null: the team has no such job. */
    readJobDetail: async (teamId: string, jobId: string, options?: ShowOptions) => {
      const job = isId(jobId) ? await jobs.find(teamId, jobId) : null;
      const how = showing(options);
      if (job && how.showSecrets)
        await doing.recordShown(teamId, {
          action: 'job.secrets-shown',
          subject: jobSubject(jobId),
        });
      return job && showJob(store, job, how);
    },
    readExecutionDetail: async (teamId: string, executionId: string, options?: ShowOptions) => {
      const run = isId(executionId) ? await crons.findExecution(teamId, executionId) : null;
      const how = showing(options);
      const shown = run && (await showExecution(store, run, how));
      if (shown && how.showSecrets)
        await doing.recordShown(teamId, { action: 'cron.secrets-shown', subject: shown.cron });
      return shown;
    },
    /** The whole stored response (65,535 bytes, cut at a character) as text. Null: no such run or response. */
    readResponseText: async (teamId: string, runId: string, _options?: ShowOptions) => {
      if (!isId(runId)) return null;
      const body = (await jobs.readBodies(teamId, [runId])).get(runId);
      return body === undefined ? null : decodeBody(body);
    },
  };
}

export type JobRunDetail = Awaited<ReturnType<typeof showJob>>;
export type JobDraft = JobRunDetail['again'];

async function showJob(store: Store, detail: JobDetail, showing: Showing) {
  const { headers, payload, response: _, ...job } = detail;
  const { teamId } = job;
  const [attempts, queue, retryOf, hasCallbackWaiting] = await Promise.all([
    store.jobs.listAttempts(teamId, job.originalId),
    store.queues.find(teamId, job.queueId),
    store.jobs.findRetryOf(teamId, job.originalId),
    isWaiting(store, job),
  ]);
  const shown = showRun(factsOf(detail, queue, hasCallbackWaiting), showing);
  const sent = { ...job, headers: withMasks(headers, showing), payloadJson: payload };
  return {
    ...shown,
    apiCall: writeJobCall(sent),
    kind: 'job' as const,
    record: job,
    /** First to last. */
    attempts,
    /** The failed job whose Retry made this one. */
    retryOf,
    /** For "create again with edits". A header value of null is a secret that was not requested. */
    again: {
      queue: job.queue,
      url: job.url,
      method: job.method,
      headers: showHeaders(headers, showing),
      payload: payload ?? '',
      callbackUrl: job.callbackUrl ?? '',
    },
  };
}

/** @param queue only for a run without a verdict */
function factsOf(
  job: JobDetail,
  queue: Pick<Queue, 'timeoutSeconds' | 'assertions'> | null,
  hasCallbackWaiting: boolean,
) {
  const { status, payload, response } = job;
  const calls = status === 'success' || status === 'dead_lettered';
  const hasCalled = calls && job.reason !== 'worker_failed';
  return {
    ...job,
    kind: 'job' as const,
    payload: payload === null ? null : { kind: 'json' as const, text: payload },
    isPayloadKnown: true,
    isFailed: status !== 'success' && job.completedAt !== null,
    trace: readTrace(response?.trace ?? null),
    timeoutSeconds: queue?.timeoutSeconds ?? null,
    assertions: queue?.assertions ?? [],
    callback: callbackOf(job.callbackUrl, hasCalled, hasCallbackWaiting),
  };
}

/** Null unless it failed. */
export function explainJob(job: JobDetail): Explanation | null {
  const masking = { isSecretHeader: () => true, showSecrets: false, isWhole: false };
  return showRun(factsOf(job, null, false), masking).explanation;
}

async function isWaiting(
  { callbacks }: Store,
  { teamId, id, completedAt }: Pick<JobRecord, 'teamId' | 'id' | 'completedAt'>,
): Promise<boolean> {
  return completedAt !== null && callbacks.isWaiting(teamId, id, completedAt);
}

/** §6.2 and §6.3 define which runs have one; its row is deleted when it is taken for sending (§6.1). */
function callbackOf(url: string | null, hasCalled: boolean, isWaiting: boolean): ShownCallback {
  if (url === null) return { url, state: 'none' };
  if (isWaiting) return { url, state: 'waiting' };
  return { url, state: hasCalled ? 'sent' : 'not-due' };
}

function isPayloadOf(trace: RunTrace | null, payload: string | null): boolean {
  const sent = trace?.sent;
  return sent === undefined || sent.payloadHash === hashPayload(payload);
}

export type ExecutionRunDetail = NonNullable<Awaited<ReturnType<typeof showExecution>>>;

async function showExecution(store: Store, detail: ExecutionDetail, showing: Showing) {
  const { response, ...execution } = detail;
  const { teamId, cronId } = execution;
  const [cron, hasCallbackWaiting] = await Promise.all([
    store.crons.find(teamId, cronId),
    isWaiting(store, execution),
  ]);
  // The executions of a deleted cron are being deleted too.
  if (cron === null) return null;
  const trace = readTrace(response?.trace ?? null);
  const { status, completedAt, reason } = execution;
  const calls = completedAt !== null && reason !== 'limit_exceeded';
  const shown = showRun(
    {
      ...execution,
      kind: 'execution',
      method: trace?.sent?.method ?? cron.method,
      url: trace?.sent?.url ?? cron.url,
      headers: cron.headers,
      payload: readCronPayload(cron.payload),
      isPayloadKnown: isPayloadOf(trace, cron.payload),
      isFailed: status === 'failed',
      response,
      trace,
      timeoutSeconds: cron.timeoutSeconds,
      assertions: cron.assertions,
      callback: callbackOf(cron.callbackUrl, calls, hasCallbackWaiting),
    },
    showing,
  );
  const { id, name, cronExpression } = cron;
  return {
    ...shown,
    apiCall: writeCronCall({ ...cron, headers: withMasks(cron.headers, showing) }),
    kind: 'execution' as const,
    record: execution,
    cron: { id, name, cronExpression },
  };
}
