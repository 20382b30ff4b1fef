/** The types of the pages of crons and queues, and of the overview. */
import type { DurationStep } from '#domain/durations';
import type { Health, Streak } from '#domain/health';
import type { Cron, ExecutionRecord } from '#store/crons/crons';
import type { JobRecord } from '#store/jobs/job-records';
import type { Queue } from '#store/queues/queues';
import type { RunRecord } from '#store/runs/run-records';
import type { BoundedCount } from '#store/database/bounded-count';
import type { RunResult } from '#store/lists/recent-results';
import type { SourceSearch } from './sources.ts';

export type { DurationStep, Health, RunResult, SourceSearch, Streak };

/** The health of a cron or queue, the same on every page. */
export interface SourceHealth {
  health: Health;
  /** Whether its alerts are muted now; one that fails may be muted, too. */
  isMuted: boolean;
  /** The failures since the last success, if it fails. */
  streak: Streak | null;
}

export type { Durations } from './cron-pages.ts';
export type { Figures, Overview } from './overview-page.ts';

export interface CronListRow extends SourceHealth {
  cron: Omit<Cron, 'headers' | 'payload'>;
  /** The last 50 runs, oldest first. */
  recentResults: RunResult[];
  /** The share of successes among the finished ones of those runs, 0 to 1; null before the first. */
  successRate: number | null;
  /** The newest run in any state. */
  lastRun: RunResult | null;
}

/** A queue with its waiting, running and failed jobs. */
export interface QueueListRow extends SourceHealth {
  queue: Queue;
  waiting: BoundedCount;
  running: number;
  /** When the earliest waiting job was due, if that is past; else null. */
  oldestDueAt: number | null;
  /** When the earliest waiting job is due, past or not. */
  nextDueAt: number | null;
  /** Jobs that failed since `failedSince`, midnight UTC, and were not resent. */
  failed: BoundedCount;
  failedSince: number;
  /** The last 50 attempts that ended, oldest first. */
  recentResults: RunResult[];
}

/** A cron or queue that needs attention. */
export interface Trouble {
  kind: 'cron' | 'queue';
  id: string;
  name: string;
  health: 'failing' | 'late';
  isMuted: boolean;
  /** When the first run of the streak ended; of one that is late, when its earliest run was due. */
  since: number;
  streak: Streak | null;
  /** How many finished runs its list shows: the other number of `9 of 9`. */
  finished: number;
  /** The last failed run. */
  lastRun: Pick<RunRecord, 'id' | 'responseStatus' | 'reason' | 'errorMessage'> | null;
  /** The failed jobs of a queue that were not resent. */
  failedJobs: BoundedCount | null;
}

/** Jobs that are due and wait for their queue's rate (§3.8). */
export interface RateWait {
  due: BoundedCount;
  /** About when the last of them starts; if there are more than were counted, the last that was. */
  lastAt: number;
}

export interface DeletionScope {
  waiting: BoundedCount;
  running: number;
  finished: BoundedCount;
}

export interface Outcomes {
  success: number;
  /** Attempts that failed and were retried. */
  retried: number;
  /** Dead letters, jobs over the monthly limit, failed executions. */
  failed: number;
}

export interface OutcomeStep extends Outcomes {
  from: number;
  to: number;
  /** For how many milliseconds of it no engine ran; true to five minutes at both ends. */
  downMs: number;
  /** None ran in all of it that is over. */
  isDown: boolean;
}

/** The largest number of waiting due jobs within one step of time; null without a sample. */
export interface DepthStep {
  from: number;
  to: number;
  waiting: number | null;
  /** How long the earliest of them had been due, in milliseconds. */
  oldestMs: number | null;
}

/** Figures of a period; null without a run. */
export interface PeriodFigures {
  /** The share of successes among all runs, including retried ones; 0 to 1. */
  successRate: number | null;
  runsAnHour: number | null;
  /** The median and 95th percentile, exact to about a tenth. */
  medianMs: number | null;
  p95Ms: number | null;
}

export interface QueueHistory {
  outcomes: OutcomeStep[];
  durations: DurationStep[];
  depths: DepthStep[];
}

export type EndedRun =
  | { kind: 'job'; job: JobRecord; at: number }
  | { kind: 'execution'; execution: ExecutionRecord; cronName: string; at: number };
