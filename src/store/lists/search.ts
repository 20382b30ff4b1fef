import type { FailureReason } from '#domain/failure';
import { hasStatusCode } from '#domain/status-codes';
import type { JobRecord } from '../jobs/job-records.ts';

/** What a list of jobs is narrowed to (see `JobSearch` in work/job-contract.ts). Ids are shaped like ids. */
export interface JobSearch {
  tab: 'all' | 'pending' | 'processing' | 'retrying' | 'completed' | 'failed';
  queueId?: string;
  id?: string;
  urlPrefix?: string;
  target?: string;
  payloadText?: string;
  responseText?: string;
  statusCode?: number | string;
  reason?: FailureReason | 'unknown';
  from?: number;
  to?: number;
  resent?: boolean;
}

/** A place in a list: the time of a job and its id. */
export interface JobKey {
  at: number;
  id: string;
}

export interface FoundJob extends JobRecord {
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
export function fits(job: JobRecord, search: JobSearch): boolean {
  const at = timeOf(job);
  return (
    isInTab(job, search) &&
    (search.queueId === undefined || job.queueId === search.queueId) &&
    (search.from === undefined || at >= search.from) &&
    (search.to === undefined || at < search.to) &&
    (search.urlPrefix === undefined || job.url.startsWith(search.urlPrefix)) &&
    (search.target === undefined || isOfTarget(job.url, search.target)) &&
    (search.statusCode === undefined || hasCode(job, search.statusCode)) &&
    (search.reason === undefined || hasReason(job, search.reason))
  );
}

/** A failed job that was resent has left the Failed tab (§3.3); only who asks for the resent sees it there. */
function isInTab(
  { status, attemptNumber, retriedAs }: JobRecord,
  { tab, resent = false }: JobSearch,
): boolean {
  const isFailed = status === 'dead_lettered' || status === 'failed';
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

function isOfTarget(url: string, target: string): boolean {
  return url.startsWith(target) && ['', '?', '#'].includes(url.charAt(target.length));
}

function hasCode(job: JobRecord, code: number | string): boolean {
  return job.completedAt !== null && hasStatusCode(String(code), job.responseStatus);
}

function hasReason({ status, reason }: JobRecord, wanted: FailureReason | 'unknown'): boolean {
  const isFailed = status === 'retried' || status === 'dead_lettered' || status === 'failed';
  return isFailed && (reason ?? 'unknown') === wanted;
}

/** Where no index says it all: jobs are looked at one by one, and only so many of them. */
export function needsLookingAt(search: JobSearch): boolean {
  const { tab, urlPrefix, target, payloadText, responseText, statusCode } = search;
  const given = [urlPrefix, target, payloadText, responseText, statusCode];
  return tab === 'pending' || given.some((each) => each !== undefined);
}
