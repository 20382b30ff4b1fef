/** What the pages of jobs and failures ask and show. Types only. */
import type { FailureReason } from '#domain/failure';
import type { JobRecord } from '#store/jobs/job-records';
import type { ResentCount } from '#store/jobs/resent';
import type { BoundedCount } from './run-contract.ts';

export type { ResentCount };

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

export interface JobListRow extends JobRecord {
  /** The time of the job, by which the list is ordered. */
  at: number;
}

/**
 * One page. Pending and Retrying come earliest due first; every other tab latest first (All begins with what
 * is planned, then what was). Cursors are opaque and go into the address as they are.
 */
export interface JobPage {
  jobs: JobListRow[];
  /** Null at either end. A page may be short, or even empty, and still have a next one: see `searchedBackTo`. */
  next: string | null;
  previous: string | null;
  /**
   * Set where the search stopped before the end because it had looked at enough (text, or a filter that
   * few jobs fit): everything up to this time was searched; `next` goes on from there.
   */
  searchedBackTo: number | null;
}

export type BulkKind = 'fire' | 'retry' | 'delete';

/** A bulk action over a filter, as it runs on the server. */
export interface BulkTask {
  id: string;
  kind: BulkKind;
  /** What it was asked to work through; what arrived later is left alone. */
  search: JobSearch;
  state: 'waiting' | 'running' | 'done' | 'cancelled' | 'failed';
  /** How many matched when it was asked for. */
  total: BoundedCount;
  /** How many were fired, retried or deleted so far. */
  done: number;
  /** How many were looked at and turned out to be in another state by then. */
  skipped: number;
  createdAt: number;
  finishedAt: number | null;
}

/** A bulk action as its bar tells it. */
export interface ShownTask extends BulkTask {
  /** What became of the jobs that a retry made lately; null for everything else, and where nobody can tell. */
  resent: ResentCount | null;
  /** How many of them can still be taken back. */
  unsent: number;
}

/** What a person has to look at before a bulk action goes on. Nothing was done so far. */
export interface BulkQuestion {
  kind: BulkKind;
  /** To how many it would be done. */
  total: BoundedCount;
  /** How many it was when the page was made; null where that has not changed. */
  shown: BoundedCount | null;
  /** What came of those that were resent before; null where there are none. */
  resent: ResentCount | null;
  /** How many of the jobs `resent` was counted among: all, unless they are very many. */
  resentAmong: number;
  /** Goes back with the answer, which then reaches nothing that came later. */
  asOf: number;
}

/** What a person has seen and said before a bulk action. */
export interface BulkAnswers {
  /** How many jobs the page has shown; where it is another number now, it is asked again. */
  shown?: BoundedCount | undefined;
  /** Of a question that was answered. */
  asOf?: number | undefined;
  /** With failed jobs that were resent already: to ask first (the default), to send them again, to leave them alone. */
  resent?: 'ask' | 'again' | 'leave' | undefined;
}

export type BulkOutcome =
  /** Few enough: it is done already. `skipped` were not in a state for it (or not the team's). */
  | { kind: 'done'; done: number; skipped: number }
  | { kind: 'started'; task: BulkTask }
  | { kind: 'asks'; question: BulkQuestion }
  /** The tab holds nothing that this may be done to, or too many tasks of the team are under way. */
  | { kind: 'refused'; error: string };

/** Failed jobs of one reason, target and code, less what was resent. */
export interface FailureGroup {
  reason: FailureReason | 'unknown';
  /** Origin and path, without the query. */
  target: string;
  statusCode: number | null;
  count: number;
  firstSeenAt: number;
  lastSeenAt: number;
  /** Counts in 24 equal steps between `FailureGroups.from` and `.to`, earliest first. */
  series: number[];
  /** Finds exactly these jobs: for the link, Retry and Delete per group. */
  search: JobSearch;
}

export interface FailureGroups {
  groups: FailureGroup[];
  from: number;
  to: number;
  /** Set where there were more failures than are counted: the newest back to this time are in. */
  countedBackTo: number | null;
}

export interface JobPages {
  /** @param cursor  `next` or `previous` of another page of the same search @param limit  1 to 200, default 50 */
  searchJobs(
    teamId: string,
    search: JobSearch,
    page?: { cursor?: string; limit?: number },
  ): Promise<JobPage>;
  /** The numbers on the tabs, overall or of one queue; `resent` is what a search for the resent finds. */
  countTabs(teamId: string, queueId?: string): Promise<Record<JobTab | 'resent', BoundedCount>>;
  /** How many a search finds: what a bulk action would work through. `isMore` also where the search stopped early. */
  countJobs(teamId: string, search: JobSearch): Promise<BoundedCount>;
  /**
   * Fire (N), Delete, Retry (N): of jobs chosen by hand. `Fire all pending`, `Retry all failed` and `Delete all
   * failed` are `startBulk` with a search. At most 200 ids are done at once; more of them are refused.
   */
  actOnJobs(
    teamId: string,
    kind: BulkKind,
    jobIds: readonly string[],
    answers?: Pick<BulkAnswers, 'resent'>,
  ): Promise<BulkOutcome>;
  /** Over everything that matches now; up to 200 jobs at once, more of them by a task in the background. */
  startBulk(
    teamId: string,
    kind: BulkKind,
    search: JobSearch,
    answers?: BulkAnswers,
  ): Promise<BulkOutcome>;
  /** The team's tasks of the last days, newest first. */
  listBulkTasks(teamId: string): Promise<ShownTask[]>;
  /** The last attempts of the jobs that a retry made, those that failed first; at most 200. Null: no such retry. */
  listResent(
    teamId: string,
    taskId: string,
  ): Promise<{ task: ShownTask; jobs: JobListRow[] } | null>;
  /** Takes back what a retry has not sent yet, within ten seconds. @returns how many; null: too late, or no such retry */
  takeBackResent(teamId: string, taskId: string): Promise<number | null>;
  findBulkTask(teamId: string, taskId: string): Promise<BulkTask | null>;
  /** What is done stays done. False: no such task, or it has ended. */
  cancelBulkTask(teamId: string, taskId: string): Promise<boolean>;
  /** Failed jobs of a time (default: as far back as there are any), most first. */
  groupFailures(
    teamId: string,
    narrowed?: { queueId?: string; from?: number; to?: number },
  ): Promise<FailureGroups>;
}
