import type { FailureReason } from '#domain/failure';
import type { RunSearch } from '#domain/run-search';
import { FAILED_ATTEMPT_STATUSES, isFailedJob } from '#domain/run-status';
import { hasStatusCode } from '#domain/status-codes';
import type { JobRecord } from '../jobs/job-records.ts';

/** The tabs of §3.3. */
export type JobTab = 'all' | 'pending' | 'processing' | 'retrying' | 'completed' | 'failed';

/**
 * The filter of a list of jobs; all given conditions must hold. Ids may be any text: one that the team does not have
 * finds nothing.
 *
 * The time of a job is its end; while it runs, its start; while it waits, its due time.
 */
export interface JobSearch {
  tab: JobTab;
  queueId?: string;
  /** A job's id: finds that attempt and the others of the same job. */
  id?: string;
  /** Case-sensitive, from the scheme on. */
  urlPrefix?: string;
  /** Origin and path must be equal, the query may differ: `FailureGroup.target`. */
  target?: string;
  /** A text in the payload as it was given; case-sensitive. */
  payloadText?: string;
  /** A text in the stored part of the response body; case-sensitive. */
  responseText?: string;
  /** A status code, or the form that `readStatusCodes` gives: `5xx,404`, `none`. */
  statusCode?: number | string;
  /** `unknown`: failed without a reason (3xx). */
  reason?: FailureReason | 'unknown';
  /** The time of the job, in milliseconds: from (inclusive), to (exclusive). */
  from?: number;
  to?: number;
  /**
   * Failed jobs that were resent (§3.3): `any` shows them on the Failed tab too, `only` shows nothing else. Without it
   * the Failed tab leaves them out.
   */
  resent?: 'any' | 'only';
}

/** A place in a list: the time of a job and its id. */
export interface JobKey {
  at: number;
  id: string;
}

export interface FoundJob extends JobRecord {
  /** The time of the job, by which the list is ordered. */
  at: number;
}

/** The time by which lists are ordered: when a job ended, started, or is due. */
export function timeOf(job: Pick<JobRecord, 'completedAt' | 'startedAt' | 'scheduledAt'>): number {
  return job.completedAt ?? job.startedAt ?? job.scheduledAt;
}

/** Whether the list begins with the earliest. */
export function isEarliestFirst({ tab }: JobSearch): boolean {
  return tab === 'pending' || tab === 'retrying';
}

/** Checks one job against all of a search except its texts and its id. */
export function fits(job: JobRecord, search: JobSearch & Pick<RunSearch, 'host'>): boolean {
  const at = timeOf(job);
  return (
    isInTab(job, search) &&
    (search.queueId === undefined || job.queueId === search.queueId) &&
    (search.from === undefined || at >= search.from) &&
    (search.to === undefined || at < search.to) &&
    (search.urlPrefix === undefined || job.url.startsWith(search.urlPrefix)) &&
    (search.target === undefined || isOfTarget(job.url, search.target)) &&
    (search.host === undefined || isOfHost(job.url, search.host)) &&
    (search.statusCode === undefined || hasCode(job, search.statusCode)) &&
    (search.reason === undefined || hasReason(job, search.reason))
  );
}

function isInTab(
  { status, attemptNumber, retriedAs }: JobRecord,
  { tab, resent }: JobSearch,
): boolean {
  const isFailed = isFailedJob(status);
  const isResent = isFailed && retriedAs !== null;
  switch (tab) {
    case 'all':
      return isResent || resent !== 'only';
    case 'pending':
      return status === 'pending' && attemptNumber === 1;
    case 'retrying':
      return status === 'pending' && attemptNumber > 1;
    case 'processing':
      return status === 'processing';
    case 'completed':
      return status === 'success';
    case 'failed':
      return isFailed && (resent === 'any' || isResent === (resent === 'only'));
  }
}

/** @param host  in lower case, with its port or without */
export function isOfHost(url: string, host: string): boolean {
  const [, found = ''] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  const whole = found.toLowerCase();
  return whole === host || whole.replace(/:\d*$/, '') === host;
}

function isOfTarget(url: string, target: string): boolean {
  return url.startsWith(target) && ['', '?', '#'].includes(url.charAt(target.length));
}

function hasCode(job: JobRecord, code: number | string): boolean {
  return job.completedAt !== null && hasStatusCode(String(code), job.responseStatus);
}

function hasReason({ status, reason }: JobRecord, wanted: FailureReason | 'unknown'): boolean {
  const isFailed = FAILED_ATTEMPT_STATUSES.some((failed) => failed === status);
  return isFailed && (reason ?? 'unknown') === wanted;
}

/** Whether a search for runs must examine them one by one, and whether it looks for a text, which takes longer. */
export function needsSieve(search: RunSearch): { isSieved: boolean; hasText: boolean } {
  const { statusCode, fault, urlPrefix, host, text, reason, kind } = search;
  const hasText = [urlPrefix, host, text].some((each) => each !== undefined);
  const isOfEither = reason !== undefined && kind !== 'job';
  const isSieved = hasText || isOfEither || statusCode !== undefined || fault !== undefined;
  return { isSieved, hasText };
}

/** Whether no index covers the whole search: then jobs are examined one by one, a limited number of them. */
export function needsLookingAt(search: JobSearch): boolean {
  const { tab, urlPrefix, target, payloadText, responseText, statusCode } = search;
  const given = [urlPrefix, target, payloadText, responseText, statusCode];
  return tab === 'pending' || given.some((each) => each !== undefined);
}
