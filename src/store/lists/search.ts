import { type FaultCode, faultOfMessage } from '#domain/http/connection-faults';
import type { HttpMethod } from '#domain/http/exchange';
import type { RunSearch } from '#domain/runs/run-search';
import { hasStatusCode } from '#domain/http/status-codes';
import type { JobRecord } from '../jobs/job-records.ts';
import type { RunRecord } from '../runs/run-records.ts';

export type JobTab = 'all' | 'pending' | 'processing' | 'retrying' | 'completed' | 'failed';

/**
 * An id that the team doesn't have finds nothing.
 *
 * The time of a run is its end; while it runs, its start; while it waits, its due time.
 */
export interface Search extends Omit<RunSearch, 'statusCode'> {
  /** Without a tab: all ended runs of jobs and crons. */
  tab?: JobTab;
  /** A status code, or `5xx,404`, `none`. */
  statusCode?: number | string;
  /** Origin and path: `FailureGroup.target`. */
  target?: string;
  /** Case-sensitive. */
  payloadText?: string;
  /** Case-sensitive. */
  responseText?: string;
  /** `any`: also on the Failed tab; `only`: nothing else. Without it the Failed tab leaves them out (§3.3). */
  resent?: 'any' | 'only';
}

/** Bulk tasks store it as JSON. */
export type JobSearch = Omit<Search, 'kind' | 'cronId' | 'tag' | 'outcome' | 'fault' | 'host'> & {
  tab: JobTab;
  /** Retries go there instead of `target`, each with its own query. */
  sendTo?: string;
};

export interface JobKey {
  at: number;
  id: string;
}

export interface FoundRun extends Omit<RunRecord, 'teamId'> {
  kind: 'job' | 'execution';
  /** See `Search`; in a cron's history the time of creation. */
  at: number;
  sourceId: string;
  sourceName: string;
  /** As sent, else as configured now. */
  method: HttpMethod;
  url: string;
  /** Null for an execution. */
  attemptNumber: number | null;
  /** Null for Run now. */
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

/** Only conditions that need no text of the run; `matcherOf` checks its state, too. */
export function fits(run: FoundRun, search: Search): boolean {
  const { kind = run.kind, queueId, cronId, from = 0, to = Infinity } = search;
  return (
    run.kind === kind &&
    run.sourceId === (queueId ?? cronId ?? run.sourceId) &&
    run.at >= from &&
    run.at < to &&
    (search.urlPrefix === undefined || run.url.startsWith(search.urlPrefix)) &&
    (search.target === undefined || isOfTarget(run.url, search.target)) &&
    (search.host === undefined || isOfHost(run.url, search.host)) &&
    (search.statusCode === undefined || hasCode(run, search.statusCode)) &&
    (search.fault === undefined || run.fault === search.fault)
  );
}

/** @param host in lower case, with or without port */
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

export function describeFilters(search: Search): { isFiltered: boolean; hasText: boolean } {
  const { tab, kind, urlPrefix, target, host, payloadText, responseText, text, words } = search;
  const { statusCode, fault, reason } = search;
  const mayBeExecution = tab === undefined && kind !== 'job';
  const ofUrl = [urlPrefix, target, host].some(isGiven);
  const hasText =
    [payloadText, responseText, text, words].some(isGiven) || (tab === undefined && ofUrl);
  const isByReason = mayBeExecution && isGiven(reason);
  const isFiltered =
    tab === 'pending' || hasText || ofUrl || isByReason || isGiven(statusCode) || isGiven(fault);
  return { isFiltered, hasText };
}

export function isGiven(value: unknown): boolean {
  return value !== undefined;
}
