import { type FaultCode, faultOfMessage } from '#domain/connection-faults';
import type { HttpMethod } from '#domain/exchange';
import type { RunSearch } from '#domain/run-search';
import { FAILED_ATTEMPT_STATUSES, FAILED_JOB_STATUSES } from '#domain/run-status';
import { hasStatusCode } from '#domain/status-codes';
import type { JobRecord } from '../jobs/job-records.ts';
import type { RunRecord } from '../runs/run-records.ts';

export type JobTab = 'all' | 'pending' | 'processing' | 'retrying' | 'completed' | 'failed';

/**
 * The filter of every list of runs; all given conditions must hold. Ids may be any text: one that the team does not
 * have finds nothing.
 *
 * The time of a run is its end; while a job runs, its start; while it waits, its due time.
 */
export interface Search extends Omit<RunSearch, 'statusCode'> {
  /** Only jobs, and only those of the tab. Without a tab: all ended runs of jobs and crons. */
  tab?: JobTab;
  /** A status code, or the form that `readStatusCodes` gives: `5xx,404`, `none`. */
  statusCode?: number | string;
  /** Origin and path must be equal, the query may differ: `FailureGroup.target`. */
  target?: string;
  /** A case-sensitive text in the payload as given. */
  payloadText?: string;
  /** A text in the stored part of the response body; case-sensitive. */
  responseText?: string;
  /**
   * Failed jobs that were resent (§3.3): `any` shows them on the Failed tab too, `only` shows nothing else. Without it
   * the Failed tab leaves them out.
   */
  resent?: 'any' | 'only';
}

/** The filter of a list of jobs. Bulk tasks store it as JSON. */
export type JobSearch = Omit<Search, 'kind' | 'cronId' | 'tag' | 'outcome' | 'fault' | 'host'> & {
  tab: JobTab;
};

/** The time of a run and its id. */
export interface JobKey {
  at: number;
  id: string;
}

export interface FoundRun extends Omit<RunRecord, 'teamId'> {
  kind: 'job' | 'execution';
  /** The time by which the list is ordered: see `Search`; in a cron's history the time of creation. */
  at: number;
  sourceId: string;
  sourceName: string;
  /** As sent; the cron's present one for an execution that was not sent. */
  method: HttpMethod;
  url: string;
  /** Null for an execution: crons never retry. */
  attemptNumber: number | null;
  /** The scheduled time; null for Run now. */
  scheduledAt: number | null;
  fault: FaultCode | null;
  /** The job that a person's Retry made of this failed one. */
  retriedAs: string | null;
}

export interface AnsweredRun extends FoundRun {
  response?: { bodyStart: Uint8Array; keptBytes: number };
}

export type FoundJob = FoundRun & JobRecord;

export function foundJob(job: JobRecord): FoundJob {
  return {
    ...job,
    kind: 'job',
    at: job.completedAt ?? job.startedAt ?? job.scheduledAt,
    sourceId: job.queueId,
    sourceName: job.queue,
    fault: faultOfMessage(job.errorMessage),
  };
}

export function isEarliestFirst({ tab }: Search): boolean {
  return tab === 'pending' || tab === 'retrying';
}

/** All of a search except its texts, its tag and its id. */
export function fits(run: FoundRun, search: Search): boolean {
  const { kind = run.kind, queueId, cronId, from = 0, to = Infinity } = search;
  return (
    run.kind === kind &&
    run.sourceId === (queueId ?? cronId ?? run.sourceId) &&
    isInTab(run, search) &&
    hasOutcome(run, search) &&
    run.at >= from &&
    run.at < to &&
    (search.urlPrefix === undefined || run.url.startsWith(search.urlPrefix)) &&
    (search.target === undefined || isOfTarget(run.url, search.target)) &&
    (search.host === undefined || isOfHost(run.url, search.host)) &&
    (search.statusCode === undefined || hasCode(run, search.statusCode)) &&
    (search.reason === undefined || hasReason(run, search.reason)) &&
    (search.fault === undefined || run.fault === search.fault)
  );
}

function isInTab(
  { status, attemptNumber, retriedAs }: FoundRun,
  { tab = 'all', resent }: Search,
): boolean {
  const isRetry = attemptNumber !== null && attemptNumber > 1;
  const isFailed = FAILED_JOB_STATUSES.some((failed) => failed === status);
  const isResent = isFailed && retriedAs !== null;
  switch (tab) {
    case 'all':
      return isResent || resent !== 'only';
    case 'pending':
      return status === 'pending' && !isRetry;
    case 'retrying':
      return status === 'pending' && isRetry;
    case 'processing':
      return status === 'processing';
    case 'completed':
      return status === 'success';
    case 'failed':
      return isFailed && (resent === 'any' || isResent === (resent === 'only'));
  }
}

function hasOutcome({ status }: FoundRun, { outcome }: Search): boolean {
  const ended = status === 'dead_lettered' ? 'failed' : status;
  return (
    outcome === undefined || outcome === ended || (outcome === 'failure' && ended !== 'success')
  );
}

/** @param host  in lower case, with its port or without */
function isOfHost(url: string, host: string): boolean {
  const [, found = ''] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  const whole = found.toLowerCase();
  return whole === host || whole.replace(/:\d*$/, '') === host;
}

function isOfTarget(url: string, target: string): boolean {
  return url.startsWith(target) && ['', '?', '#'].includes(url.charAt(target.length));
}

function hasCode(run: FoundRun, code: number | string): boolean {
  return run.completedAt !== null && hasStatusCode(String(code), run.responseStatus);
}

function hasReason({ status, reason }: FoundRun, wanted: Search['reason']): boolean {
  const isFailed = FAILED_ATTEMPT_STATUSES.some((failed) => failed === status);
  return isFailed && (reason ?? 'unknown') === wanted;
}

/**
 * Whether no index covers the whole search, so that runs are examined one by one, a limited number of them; and whether
 * each of them has a long text to search, which takes longer.
 */
export function needsSieve(search: Search): { isSieved: boolean; hasText: boolean } {
  const { tab, kind, urlPrefix, target, host, payloadText, responseText, text, words } = search;
  const { statusCode, fault, reason } = search;
  const mayBeExecution = tab === undefined && kind !== 'job';
  const ofUrl = [urlPrefix, target, host].some(isGiven);
  const hasText =
    [payloadText, responseText, text, words].some(isGiven) || (tab === undefined && ofUrl);
  const isByReason = mayBeExecution && isGiven(reason);
  const isSieved =
    tab === 'pending' || hasText || ofUrl || isByReason || isGiven(statusCode) || isGiven(fault);
  return { isSieved, hasText };
}

function isGiven(value: unknown): boolean {
  return value !== undefined;
}
