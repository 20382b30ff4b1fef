import type { BulkKind, BulkTask } from '#store/jobs/bulk-tasks';
import type { Rate } from '#domain/rate';
import type { ResentCount } from '#store/jobs/resent';
import type * as failures from '#store/lists/failures';
import type { BoundedCount } from '#store/database/bounded-count';
import type { JobSearch, JobTab } from '#store/lists/search';

export type { BulkKind, BulkTask, JobSearch, JobTab, ResentCount };
export type { FoundJob as JobListRow } from '#store/lists/search';

export interface ShownTask extends BulkTask {
  /** Null for other actions, and if they can't be separated from others' jobs. */
  resent: ResentCount | null;
  /** Of a spread retry; of more than were counted, the last that was. */
  endsAt: number | null;
}

export interface BulkQuestion {
  kind: BulkKind;
  total: BoundedCount;
  /** Of the newest 1,000 resent before; null if none was. */
  resent: ResentCount | null;
  /** If they begin now; null if not spread. */
  spread: { rate: Rate; endsAt: number } | null;
}

export interface BulkAnswers {
  /** When the page was read: later jobs are left alone. */
  asOf?: number | undefined;
  /** Confirm (the default), send again, or leave. */
  resent?: 'ask' | 'again' | 'leave' | undefined;
  /** Needs a confirmation with the time of the last. */
  rate?: Rate | undefined;
  isTimed?: boolean | undefined;
  /** Retries of a search by `target` go there instead. */
  sendTo?: string | undefined;
}

export type ChosenAnswers = Omit<BulkAnswers, 'asOf' | 'sendTo'>;

export type BulkOutcome =
  /** `skipped`: in another state, or not the team's. */
  | { kind: 'done'; done: number; skipped: number }
  | { kind: 'started'; task: BulkTask }
  | { kind: 'asks'; question: BulkQuestion }
  /** Not for jobs of this tab, or too many tasks. */
  | { kind: 'refused'; error: string };

export interface FailureGroup extends Omit<failures.FailureGroup, 'lastJobId'> {
  /** The beginning of the newest response; null without one, and in small groups behind the first ones. */
  sample: string | null;
  /** Of the newest job, without the query. */
  redirectsTo: string | null;
  /** For the link, Retry and Delete. */
  search: JobSearch;
}

export interface FailureGroups extends Omit<failures.FailureGroups, 'groups'> {
  groups: FailureGroup[];
  from: number;
  to: number;
}
