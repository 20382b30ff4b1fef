/**
 * The tables as Kysely sees them; migrations/ is what makes them.
 *
 * Instants are milliseconds since 1970 UTC, ids UUIDv7, yes/no columns 0 or 1 (both databases), JSON is
 * text. A column named `sealed_…` holds what seal.ts made of a secret. The tables of accounts are in
 * accounts-schema.ts, those of alerts in alerts-schema.ts.
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
  /** Since when it has been in force. */
  signing_secret_set_at: number | null;
  sealed_next_signing_secret: string | null;
  next_signing_secret_set_at: number | null;
  /** From when on it takes the place of the present one. */
  next_signing_secret_from: number | null;
  created_at: number;
  /** Set when the team is deleted: its work stops at once, its rows go in small batches. */
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
  honors_retry_after: YesNo;
  concurrency_limit: number | null;
  /** JSON list of `Assertion`. */
  assertions: string;
  email_alerts: YesNo;
  dead_letter_days: number;
  is_paused: YesNo;
  created_at: number;
  /** JSON of `AlertSettings`; null for nothing chosen. */
  alert_settings: string | null;
  /** JSON list; null for none. */
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
  /** The node whose claim this is, while `processing`. */
  claimed_by: string | null;
  /** JSON list of [name, value]. */
  sealed_headers: string | null;
  /** JSON text as given (§2.6). */
  payload: string | null;
}

/** How a run ended, with what is kept of its response. */
interface OutcomeColumns {
  completed_at: number;
  response_status: number | null;
  reason: FailureReason | null;
  error_message: string | null;
  duration_ms: number | null;
  /** Of the response's body, whole; null without a response. */
  total_bytes: number | null;
  /** JSON of `Trace`: timing, address, response headers. */
  trace: string | null;
  /** The first 65,535 bytes (§2.5); null without a response. */
  body: Uint8Array | null;
}

/** An attempt that has ended: only ever inserted, but for the mark of a person's Retry. */
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
  next_run_at: number | null;
  assertions: string;
  created_at: number;
  sealed_headers: string | null;
  /** The payload string as a JSON string literal: a bare one could hold NUL or half a surrogate pair. */
  payload: string | null;
  /** JSON of `AlertSettings`; null for nothing chosen. */
  alert_settings: string | null;
  /** JSON list; null for none. */
  tags: string | null;
}

export interface ExecutionsTable {
  team_id: string;
  id: string;
  cron_id: string;
  /** The time of the schedule that it stands for; null for Run now. */
  scheduled_for: number | null;
  status: Exclude<ExecutionStatus, EndedExecutionStatus>;
  created_at: number;
  started_at: number | null;
  claimed_by: string | null;
}

/** An execution that has ended; only ever inserted. */
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
  /** How many of the runs asked for last were let through: what one statement tells the next part of itself. */
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
  /** When it begins. */
  hour: number;
  /** `failed` is whatever was final and no success; `retried` an attempt with another to come. */
  outcome: 'success' | 'retried' | 'failed';
  runs: number;
}

/** Runs by how long they took. */
export interface DurationHoursTable {
  team_id: string;
  /** A queue, a cron, or the team itself for all that it runs. */
  source_id: string;
  hour: number;
  outcome: OutcomeHoursTable['outcome'];
  /** Of domain/duration-histogram.ts. */
  step: number;
  runs: number;
}

/** What was due and waited at a look (depths.ts). */
export interface QueueDepthsTable {
  team_id: string;
  /** A queue, or the team itself. */
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
  /** Where in the list it goes on. */
  cursor: string | null;
  /** Who works on it, and until when nobody else does. */
  claimed_by: string | null;
  claimed_until: Generated<number>;
  created_at: number;
  finished_at: number | null;
}

export interface ActivityTable {
  team_id: string;
  id: string;
  at: number;
  /** Null: the command line. */
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
  /** Changes with each renewal. Only the version before reads it as a time (§3.6). */
  lease_until: number;
  /** Whether it writes down what it claims of queues with a limit (taken-slots.ts). */
  keeps_slots: Generated<YesNo>;
}

/** See taken-slots.ts; Postgres only. */
export interface TakenSlotsTable {
  team_id: string;
  queue_id: string;
  /** The highest of a queue counts. */
  number: number;
  /** Null where nobody knows what runs. */
  job_ids: readonly string[] | null;
  /** Until then what runs is counted, whatever is written down. */
  recount_until: number;
}

export interface InstallationTable {
  key: string;
  value: string;
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
  queue_depths: QueueDepthsTable;
  depth_looks: DepthLooksTable;
  bulk_tasks: BulkTasksTable;
  nodes: NodesTable;
  taken_slots: TakenSlotsTable;
  installation: InstallationTable;
  api_windows: ApiWindowsTable;
}
