/** The types of the pages of jobs and failures. */
import type { BulkKind, BulkTask } from '#store/jobs/bulk-tasks';
import type { Rate } from '#domain/rate';
import type { ResentCount } from '#store/jobs/resent';
import type * as failures from '#store/lists/failures';
import type { BoundedCount } from '#store/database/bounded-count';
import type { JobSearch, JobTab } from '#store/lists/search';

export type { BulkKind, BulkTask, JobSearch, JobTab, ResentCount };
export type { FoundJob as JobListRow } from '#store/lists/search';

export interface ShownTask extends BulkTask {
  /**
   * The outcomes of the jobs of a recent retry; null for other actions, and if they can't be separated from others'
   * jobs.
   */
  resent: ResentCount | null;
  /** Of a retry that is spread: when the last is due; of more than were counted, the last that was. */
  endsAt: number | null;
}

/** The confirmation that a bulk action needs. Nothing was done so far. */
export interface BulkQuestion {
  kind: BulkKind;
  total: BoundedCount;
  /** The outcomes of those that were resent before, of the newest 1,000 of them; null if none was. */
  resent: ResentCount | null;
  /** At which rate they are spread, and when the last is due if they begin now; null where they are not. */
  spread: { rate: Rate; endsAt: number } | null;
}

export interface BulkAnswers {
  /** When the page was read: jobs that came to the list later, or were resent later, are left alone. */
  asOf?: number | undefined;
  /**
   * How failed jobs that were resent before are treated: confirm (the default), send them again, or leave them
   * unchanged.
   */
  resent?: 'ask' | 'again' | 'leave' | undefined;
  /** With a retry: the jobs come due at this rate, after a confirmation with the time of the last. */
  rate?: Rate | undefined;
  /** The person has seen when the last is due. */
  isTimed?: boolean | undefined;
}

export type ChosenAnswers = Omit<BulkAnswers, 'asOf'>;

export type BulkOutcome =
  /** Few enough jobs, so it is done. `skipped` were in another state, or not the team's. */
  | { kind: 'done'; done: number; skipped: number }
  | { kind: 'started'; task: BulkTask }
  | { kind: 'asks'; question: BulkQuestion }
  /** The action does not apply to jobs of this tab, or too many of the team's tasks are under way. */
  | { kind: 'refused'; error: string };

export interface FailureGroup extends failures.FailureGroup {
  /** A search that finds exactly these jobs: for the group's link, Retry and Delete. */
  search: JobSearch;
}

export interface FailureGroups extends Omit<failures.FailureGroups, 'groups'> {
  groups: FailureGroup[];
  from: number;
  to: number;
}
