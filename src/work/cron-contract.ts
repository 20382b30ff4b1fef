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

export interface SourceHealth {
  health: Health;
  /** One that fails may be muted, too. */
  isMuted: boolean;
  streak: Streak | null;
}

export type { Durations } from './cron-pages.ts';
export type { DepthStep, Outcomes, OutcomeStep, PeriodFigures } from './figures.ts';
export type { Figures, Overview } from './overview-page.ts';
export type { QueueHistory, RateWait } from './queue-pages.ts';

export interface CronListRow extends SourceHealth {
  cron: Omit<Cron, 'headers' | 'payload'>;
  /** The last 50 runs, oldest first. */
  recentResults: RunResult[];
  /** 0 to 1, among the finished ones; null before the first. */
  successRate: number | null;
  lastRun: RunResult | null;
}

export interface QueueListRow extends SourceHealth {
  queue: Queue;
  waiting: BoundedCount;
  running: number;
  /** Null if it is not due yet. */
  oldestDueAt: number | null;
  /** Can be in the past. */
  nextDueAt: number | null;
  /** Jobs that failed since `failedSince`, midnight UTC, and were not resent. */
  failed: BoundedCount;
  failedSince: number;
  recentResults: RunResult[];
}

export interface Trouble {
  kind: 'cron' | 'queue';
  id: string;
  name: string;
  health: 'failing' | 'late';
  isMuted: boolean;
  /** The end of the streak's first run; if late, the due time of its earliest run. */
  since: number;
  streak: Streak | null;
  /** The other number of `9 of 9`. */
  finished: number;
  /** Failures that paused a cron, until it is started. */
  stoppedAfter: number | null;
  /** The texts of open alerts about a whole queue. */
  watchWords: string | null;
  lastRun: Pick<RunRecord, 'id' | 'responseStatus' | 'reason' | 'errorMessage'> | null;
  /** Failed jobs that no one retried. */
  failedJobs: BoundedCount | null;
}

export interface DeletionScope {
  waiting: BoundedCount;
  running: number;
  finished: BoundedCount;
}

export type EndedRun =
  | { kind: 'job'; job: JobRecord; at: number }
  | { kind: 'execution'; execution: ExecutionRecord; cronName: string; at: number };
