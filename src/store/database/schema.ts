/**
 * The tables as types for Kysely; the files in tables/ declare them.
 *
 * Instants are milliseconds since 1970 UTC, ids UUIDv7, yes/no columns 0 or 1 (both databases), JSON is text. A column
 * named `sealed_…` holds a secret that seal.ts has encrypted. The tables of accounts are in accounts-schema.ts, those
 * of alerts in alerts-schema.ts.
 */
import type { Generated } from 'kysely';
import type { FailureReason } from '#domain/failure';
import type { HttpMethod } from '#domain/exchange';
import type {
  EndedExecutionStatus,
  EndedJobStatus,
  ExecutionStatus,
  JobStatus,
} from '#domain/run-status';
import type { AccountTables } from './accounts-schema.ts';
import type { AlertTables, StreakColumns } from './alerts-schema.ts';

export type YesNo = 0 | 1;

export interface TeamsTable {
  id: string;
  name: string;
  plan: string;
  sealed_signing_secret: string | null;
  /** When the signing secret took effect. */
  signing_secret_set_at: number | null;
  sealed_next_signing_secret: string | null;
  next_signing_secret_set_at: number | null;
  created_at: number;
  /** Since when everything of it is paused, and by whom; null: it is not (team-pauses.ts). */
  paused_at: number | null;
  paused_by: string | null;
  /** Set when the team is deleted: its work stops at once, its rows are deleted in small batches. */
  deleted_at: number | null;
}

export interface QueuesTable {
  team_id: string;
  id: string;
  name: string;
  timeout_seconds: number;
  /** JSON list of seconds (§3.4). */
  retry_schedule: string;
  retries_enabled: YesNo;
  concurrency_limit: number | null;
  /** As domain/rate.ts writes it; null for none. */
  rate: string | null;
  /** JSON list of `Assertion`. */
  assertions: string;
  email_alerts: YesNo;
  dead_letter_days: number;
  is_paused: YesNo;
  created_at: number;
  /** JSON of `AlertSettings` without its rule of slow runs; null for the defaults. */
  alert_settings: string | null;
  /** JSON of `SlowRule`. */
  slow_rule: string | null;
  /** Tags as a JSON list; null for none. */
  tags: string | null;
}

export interface JobsTable {
  team_id: string;
  id: string;
  original_id: string;
  attempt_number: number;
  queue_id: string;
  status: Exclude<JobStatus, EndedJobStatus>;
  method: HttpMethod;
  url: string;
  callback_url: string | null;
  created_at: number;
  scheduled_at: number;
  started_at: number | null;
  /** The node that has claimed the job, while `processing`. */
  claimed_by: string | null;
  /** JSON list of [name, value]. */
  sealed_headers: string | null;
  /** JSON text as given (§2.6). */
  payload: string | null;
}

/** The outcome of a run, with the stored part of its response. */
interface OutcomeColumns {
  completed_at: number;
  response_status: number | null;
  reason: FailureReason | null;
  error_message: string | null;
  duration_ms: number | null;
  /** The size of the whole response body; null without a response. */
  total_bytes: number | null;
  /** JSON of `Trace`: timing, address, response headers. */
  trace: string | null;
  /** The first 65,535 bytes (§2.5); null without a response. */
  body: Uint8Array | null;
}

/** An attempt that has ended. Rows are only inserted and deleted; the one change is the mark of a person's Retry. */
export interface EndedJobsTable extends Omit<JobsTable, 'status' | 'claimed_by'>, OutcomeColumns {
  status: EndedJobStatus;
  /** The job that a person's Retry made of this failed one. */
  retried_as: string | null;
}

export interface CronsTable extends StreakColumns {
  team_id: string;
  id: string;
  name: string;
  url: string;
  method: HttpMethod;
  callback_url: string | null;
  cron_expression: string;
  timeout_seconds: number;
  alert_threshold: number | null;
  is_active: YesNo;
  /** Null while paused, and once it has ended. */
  next_run_at: number | null;
  ends_at: number | null;
  max_runs: number | null;
  /** Scheduled runs, of a cron with `max_runs`. */
  runs_counted: Generated<number>;
  assertions: string;
  created_at: number;
  sealed_headers: string | null;
  /**
   * The payload as a JSON string literal: a plain text could contain NUL or half a surrogate pair, which Postgres
   * refuses.
   */
  payload: string | null;
  /** JSON of `AlertSettings` without its rule of slow runs; null for the defaults. */
  alert_settings: string | null;
  /** JSON of `SlowRule`. */
  slow_rule: string | null;
  /** Tags as a JSON list; null for none. */
  tags: string | null;
}

export interface ExecutionsTable {
  team_id: string;
  id: string;
  cron_id: string;
  /** The scheduled time of the execution; null for Run now. */
  scheduled_for: number | null;
  status: Exclude<ExecutionStatus, EndedExecutionStatus>;
  created_at: number;
  started_at: number | null;
  claimed_by: string | null;
}

/** An execution that has ended. Rows are only inserted and deleted. */
export interface EndedExecutionsTable
  extends Omit<ExecutionsTable, 'status' | 'claimed_by'>, OutcomeColumns {
  status: EndedExecutionStatus;
}

export interface CallbacksTable {
  team_id: string;
  id: string;
  run_id: string;
  url: string;
  body: string;
  created_at: number;
}

/** A callback that a node has taken to send. */
export interface CallbacksUnderWayTable extends CallbacksTable {
  node_id: string;
}

export interface UsageMonthsTable {
  team_id: string;
  /** `2026-11` */
  month: string;
  used: number;
  /** How many of the last requested runs were granted: one part of a statement passes this to the next. */
  granted: Generated<number>;
}

export interface UsageDaysTable {
  team_id: string;
  /** `2026-11-21` */
  day: string;
  used: number;
}

export interface OutcomeHoursTable {
  team_id: string;
  /** The beginning of the hour. */
  hour: number;
  /** `failed`: a final failure of any kind; `retried`: a failed attempt with another one to follow. */
  outcome: 'success' | 'retried' | 'failed';
  runs: number;
}

/** Counts of runs by duration. */
export interface DurationHoursTable {
  team_id: string;
  /** The id of a queue or a cron, or of the team for all its runs. */
  source_id: string;
  hour: number;
  outcome: OutcomeHoursTable['outcome'];
  /** The step of domain/duration-histogram.ts. */
  step: number;
  runs: number;
}

/** Counts of the runs of a batch that are not added to the other counts yet (figures/batch-counts.ts). */
export interface BatchCountsTable {
  id: Generated<number>;
  team_id: string;
  /** The id of a queue or a cron; of the team for `started`. */
  source_id: string;
  hour: number;
  /** `started`: runs that were claimed, which count for the team's month. */
  outcome: OutcomeHoursTable['outcome'] | 'started';
  /** As in `DurationHoursTable`; null for runs that were not sent, and for `started`. */
  step: number | null;
  runs: number;
}

/** How many due jobs waited at the time of a look (depths.ts). */
export interface QueueDepthsTable {
  team_id: string;
  /** The id of a queue, or of the team. */
  source_id: string;
  at: number;
  waiting: number;
  oldest_ms: number;
}

export interface DepthLooksTable {
  at: number;
}

export interface BulkTasksTable {
  team_id: string;
  id: string;
  kind: 'fire' | 'retry' | 'delete';
  /** JSON of `JobSearch`. */
  search: string;
  /** Jobs with a later id arrived later and are left alone. */
  up_to_id: string;
  state: 'waiting' | 'running' | 'done' | 'cancelled' | 'failed';
  total: number;
  is_total_more: YesNo;
  done: Generated<number>;
  skipped: Generated<number>;
  /** Of a retry that is spread: the rate, as domain/rate.ts writes it. */
  rate: Generated<string | null>;
  /** The place in the list where the task continues. */
  cursor: string | null;
  /** The node that works on the task, and the end of its claim. */
  claimed_by: string | null;
  claimed_until: Generated<number>;
  created_at: number;
  finished_at: number | null;
}

export interface ActivityTable {
  team_id: string;
  id: string;
  at: number;
  /** Null: the operator at the command line. */
  actor_id: string | null;
  actor: string;
  /** An `ActivityAction`, of this or of a newer version. */
  action: string;
  subject_id: string | null;
  subject: string | null;
  detail: string | null;
}

export interface NodesTable {
  id: string;
  started_at: number;
  /** Changes with each renewal and is only compared. Only `doctor` reads it as a time (§3.6). */
  lease_until: number;
}

/** See taken-slots.ts. On SQLite only for queues with a rate, one row each. */
export interface TakenSlotsTable {
  team_id: string;
  queue_id: string;
  /** Only the row with the highest number of a queue counts. */
  number: number;
  /** Null where the running jobs are not known. */
  job_ids: readonly string[] | null;
  /** Until this time the running jobs are counted, whatever the list says. */
  recount_until: number;
  /** Until when the queue's rate is spent, in microseconds since 1970 UTC (domain/rate.ts); null where it has none. */
  rate_spent_until: Generated<number | null>;
}

export interface InstallationTable {
  key: string;
  value: string;
}

/** Applied migrations (migrations/migrate.ts). */
export interface MigrationsTable {
  name: string;
  applied_at: number;
}

export interface ApiWindowsTable {
  address: string;
  opened_at: number;
  hits: number;
}

export interface Tables extends AccountTables, AlertTables {
  activity: ActivityTable;
  teams: TeamsTable;
  queues: QueuesTable;
  jobs: JobsTable;
  crons: CronsTable;
  executions: ExecutionsTable;
  ended_jobs: EndedJobsTable;
  ended_executions: EndedExecutionsTable;
  callbacks: CallbacksTable;
  callbacks_under_way: CallbacksUnderWayTable;
  usage_months: UsageMonthsTable;
  usage_days: UsageDaysTable;
  outcome_hours: OutcomeHoursTable;
  duration_hours: DurationHoursTable;
  batch_counts: BatchCountsTable;
  queue_depths: QueueDepthsTable;
  depth_looks: DepthLooksTable;
  bulk_tasks: BulkTasksTable;
  nodes: NodesTable;
  taken_slots: TakenSlotsTable;
  installation: InstallationTable;
  api_windows: ApiWindowsTable;
  migrations: MigrationsTable;
}
