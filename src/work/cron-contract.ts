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
  /** The share of successes among the finished ones of those runs, 0 to 1; null before the first. */
  successRate: number | null;
  lastRun: RunResult | null;
}

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

export interface Trouble {
  kind: 'cron' | 'queue';
  id: string;
  name: string;
  health: 'failing' | 'late';
  isMuted: boolean;
  /** When the first run of the streak ended; of one that is late, when its earliest run was due. */
  since: number;
  streak: Streak | null;
  /** The other number of `9 of 9`. */
  finished: number;
  lastRun: Pick<RunRecord, 'id' | 'responseStatus' | 'reason' | 'errorMessage'> | null;
  /** The failed jobs of a queue that were not resent. */
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
