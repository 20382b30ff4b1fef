/** The types of the pages of crons and queues, and of the overview. */
import type { DurationStep } from '#domain/durations';
import type { QueueHealth } from '#domain/queue-health';
import type { Cron, ExecutionRecord } from '#store/crons/crons';
import type { JobRecord } from '#store/jobs/job-records';
import type { Queue } from '#store/queues/queues';
import type { CronSearch } from '#store/lists/cron-lists';
import type { BoundedCount } from '#store/database/bounded-count';
import type { RunResult } from '#store/lists/recent-results';

/** The filter of a list of queues; all given conditions must hold. */
export interface QueueSearch {
  /** A text in the name or the id; A to Z in either case. */
  text?: string;
  /** A tag, in its stored form. */
  tag?: string;
  /** `failing`: jobs failed since `failedSince` and were not resent, or wait too long. */
  status?: 'failing' | 'healthy' | 'paused';
}

export type { CronSearch, DurationStep, RunResult };

export interface CronListRow {
  cron: Omit<Cron, 'headers' | 'payload'>;
  /** The last 50 runs, oldest first. */
  recentResults: RunResult[];
  /** The share of successes among the finished ones of those runs, 0 to 1; null before the first. */
  successRate: number | null;
  /** The newest run in any state. */
  lastRun: RunResult | null;
}

interface CronRowsPage {
  crons: CronListRow[];
  next: string | null;
  previous: string | null;
}

export interface QueueRowsPage {
  queues: QueueListRow[];
  next: string | null;
  previous: string | null;
}

export interface Durations {
  steps: DurationStep[];
  /** Set if only the newest runs were examined: the time of the oldest of them. */
  sampledBackTo: number | null;
}

/** The waiting and failed jobs of a queue. */
export interface QueueState {
  queue: Queue;
  waiting: BoundedCount;
  /** When the earliest waiting job was due, if that is past; else null. */
  oldestDueAt: number | null;
  /** When the earliest waiting job is due, past or not. */
  nextDueAt: number | null;
  /** Jobs that failed since `failedSince` and were not resent. */
  failed: BoundedCount;
  failedSince: number;
  /** Why its jobs do not start. */
  health: 'paused' | 'backlogged' | null;
}

export interface QueueListRow extends Omit<QueueState, 'health'> {
  /** The last 50 attempts that ended, oldest first. */
  recentResults: RunResult[];
  running: number;
  health: QueueHealth;
}

/** Jobs that are due and wait for their queue's rate (§3.8). */
export interface RateWait {
  due: BoundedCount;
  /** About when the last of them starts; if there are more than were counted, the last that was. */
  lastAt: number;
}

/** The items that are deleted with a queue (§3.5) or a cron. */
export interface DeletionScope {
  waiting: BoundedCount;
  running: number;
  finished: BoundedCount;
}

/** Counts of runs by outcome. */
export interface Outcomes {
  success: number;
  /** Attempts that failed and were retried. */
  retried: number;
  /** Dead letters, jobs over the monthly limit, failed executions. */
  failed: number;
}

/** Runs that ended within one step of time. */
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

export interface Figures {
  lastDay: PeriodFigures;
  lastWeek: PeriodFigures;
  /** How long the earliest due job waits now, and the longest wait of the week; in queues that are not paused. */
  oldestWaitMs: number;
  longestWaitOfWeekMs: number;
}

/** The outcomes of a queue's jobs over time. */
export interface QueueHistory {
  outcomes: OutcomeStep[];
  durations: DurationStep[];
  depths: DepthStep[];
}

/** A run that ended. */
export type EndedRun =
  | { kind: 'job'; job: JobRecord; at: number }
  | { kind: 'execution'; execution: ExecutionRecord; cronName: string; at: number };

export interface Overview {
  figures: Figures;
  /** Active crons whose last finished run failed, latest failure first; at most 10. */
  failingCrons: { cronId: string; name: string; lastRun: ExecutionRecord }[];
  /** Queues with failed jobs in the last hour, or with jobs that wait too long; worst first, at most 10. */
  troubledQueues: QueueState[];
  /** The next runs: crons, and waiting jobs of queues that are not paused, soonest first; at most 10. */
  nextUp: (
    | { kind: 'cron'; cronId: string; name: string; at: number }
    | { kind: 'job'; job: JobRecord; at: number }
  )[];
  /** The last ended runs, latest first; at most 10. */
  justHappened: EndedRun[];
  /** 24 steps of one hour, the present one last. */
  lastDay: OutcomeStep[];
  /** 30 steps of a UTC day, today last. */
  lastMonth: OutcomeStep[];
}

export interface CronPages {
  /**
   * A page of crons in the order of their names.
   *
   * @param cursor  `next` or `previous` of a page of the same search
   * @param limit  1 to 200, default 50
   */
  listCronRows(
    teamId: string,
    page?: CronSearch & { cursor?: string; limit?: number },
  ): Promise<CronRowsPage>;
  readCronRow(teamId: string, cronId: string): Promise<CronListRow | null>;
  /**
   * Durations of a cron's runs. Null: no such cron.
   *
   * @param steps  how many equal steps between from and to (1 to 100)
   */
  readDurations(
    teamId: string,
    cronId: string,
    range: { from: number; to: number; steps: number },
  ): Promise<Durations | null>;
  describeCronDeletion(teamId: string, cronId: string): Promise<DeletionScope | null>;

  /**
   * A page of queues in the order of their names.
   *
   * @param cursor  `next` or `previous` of a page of the same search
   * @param limit  1 to 200, default 50
   */
  listQueueRows(
    teamId: string,
    page?: QueueSearch & { cursor?: string; limit?: number },
  ): Promise<QueueRowsPage>;
  readQueueRow(teamId: string, queueId: string): Promise<QueueListRow | null>;
  /** The jobs that wait for a queue's rate. Null: it has none, is paused, or nothing waits for longer than a moment. */
  readRateWait(teamId: string, queue: Queue): Promise<RateWait | null>;
  /** A queue's history in equal steps of whole hours until now, eight days back at most. Null: no such queue. */
  readQueueHistory(
    teamId: string,
    queueId: string,
    steps: { stepMs: number; count: number },
  ): Promise<QueueHistory | null>;
  describeQueueDeletion(teamId: string, queueId: string): Promise<DeletionScope | null>;
  /** The queues that Create job offers: those that are not paused (§2.3), by name. */
  listOfferedQueues(teamId: string): Promise<{ id: string; name: string }[]>;

  readOverview(teamId: string): Promise<Overview>;
}
