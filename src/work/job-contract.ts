/** What the pages of jobs and failures ask and show. Types only. */
import type { BulkKind, BulkTask } from '#store/jobs/bulk-tasks';
import type { ResentCount } from '#store/jobs/resent';
import type * as failures from '#store/lists/failures';
import type { BoundedCount } from '#store/lists/job-counts';
import type { JobPage } from '#store/lists/job-list';
import type { FoundJob, JobSearch, JobTab } from '#store/lists/search';

export type { BulkKind, BulkTask, JobPage, JobSearch, JobTab, ResentCount };
export type { FoundJob as JobListRow };

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

export interface FailureGroup extends failures.FailureGroup {
  /** Finds exactly these jobs: for the link, Retry and Delete per group. */
  search: JobSearch;
}

export interface FailureGroups extends Omit<failures.FailureGroups, 'groups'> {
  groups: FailureGroup[];
  from: number;
  to: number;
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
  listResent(teamId: string, taskId: string): Promise<{ task: ShownTask; jobs: FoundJob[] } | null>;
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
