import type { FailureReason } from '#domain/failure';
import type { RunSearch } from '#domain/run-search';
import { FAILED_ATTEMPT_STATUSES, isFailedJob } from '#domain/run-status';
import { hasStatusCode } from '#domain/status-codes';
import type { JobRecord } from '../jobs/job-records.ts';

/** The tabs of §3.3. */
export type JobTab = 'all' | 'pending' | 'processing' | 'retrying' | 'completed' | 'failed';

/**
 * What a list of jobs is narrowed to; everything given must hold. Ids may be any text: one that the team
 * has nothing of finds nothing.
 *
 * The time of a job is when it ended; while it runs, when it started; while it waits, when it is due.
 */
export interface JobSearch {
  tab: JobTab;
  queueId?: string;
  /** A job's id: finds that attempt and the others of the same job. */
  id?: string;
  /** Case-sensitive, from the scheme on. */
  urlPrefix?: string;
  /** Origin and path exactly, any query: what `FailureGroup.target` says. */
  target?: string;
  /** Case-sensitive text within the payload as it was given. */
  payloadText?: string;
  /** Case-sensitive text within what is kept of the response body. */
  responseText?: string;
  /** A status, or what `readStatusCodes` makes of a text: `5xx,404`, `none`. */
  statusCode?: number | string;
  /** `unknown`: failed without a reason (3xx). */
  reason?: FailureReason | 'unknown';
  /** The time of the job, in milliseconds: from (inclusive), to (exclusive). */
  from?: number;
  to?: number;
  /** Only failed jobs that were resent (§3.3). The Failed tab without it leaves them out. */
  resent?: boolean;
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

/** Everything of a search but its texts and its id, held against one job. */
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

/** A failed job that was resent has left the Failed tab (§3.3); only who asks for the resent sees it there. */
function isInTab(
  { status, attemptNumber, retriedAs }: JobRecord,
  { tab, resent = false }: JobSearch,
): boolean {
  const isFailed = isFailedJob(status);
  const isResent = isFailed && retriedAs !== null;
  switch (tab) {
    case 'all':
      return isResent || !resent;
    case 'pending':
      return status === 'pending' && attemptNumber === 1;
    case 'retrying':
      return status === 'pending' && attemptNumber > 1;
    case 'processing':
      return status === 'processing';
    case 'completed':
      return status === 'success';
    case 'failed':
      return isFailed && isResent === resent;
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

/** The same of runs. What is looked for in a text takes longer. */
export function needsSieve(search: RunSearch): { isSieved: boolean; hasText: boolean } {
  const { statusCode, fault, urlPrefix, host, text, reason, kind } = search;
  const hasText = [urlPrefix, host, text].some((each) => each !== undefined);
  const isOfEither = reason !== undefined && kind !== 'job';
  const isSieved = hasText || isOfEither || statusCode !== undefined || fault !== undefined;
  return { isSieved, hasText };
}

/** Where no index says it all: jobs are looked at one by one, and only so many of them. */
export function needsLookingAt(search: JobSearch): boolean {
  const { tab, urlPrefix, target, payloadText, responseText, statusCode } = search;
  const given = [urlPrefix, target, payloadText, responseText, statusCode];
  return tab === 'pending' || given.some((each) => each !== undefined);
}
