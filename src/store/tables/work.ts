/**
 * Every delivery pays for each index on `jobs` and `ended_jobs`, so only frequent questions have one. Columns
 * `sealed_…` are encrypted (seal.ts).
 */
import type { FailureReason } from '#domain/judging/failure';
import type { HttpMethod } from '#domain/http/exchange';
import type { EndedExecutionStatus, EndedJobStatus } from '#domain/runs/run-status';
import {
  bigint,
  bytes,
  id,
  ids,
  instant,
  integer,
  json,
  oneOf,
  table,
  text,
  yesNo,
} from './table.ts';

export const teams = table(
  'teams',
  {
    id: id(),
    name: text(),
    plan: text(),
    sealed_signing_secret: text().orNull,
    signing_secret_set_at: instant().orNull,
    sealed_next_signing_secret: text().orNull,
    next_signing_secret_set_at: instant().orNull,
    created_at: instant(),
    /** Null: not paused (team-pauses.ts). */
    paused_at: instant().orNull,
    paused_by: text().orNull,
    paused_until: instant().orNull,
    /** A copy (alerts/window-rows.ts), because claims read the team's row anyway. */
    pausing_windows: json().orNull,
    /** A JSON path (§2.4) into payloads. */
    shown_field: text().orNull,
    masked_fields: json().orNull,
    /** Its rows are deleted in small batches. */
    deleted_at: instant().orNull,
  },
  {
    key: ['id'],
    checks: { pause_end_is_paused: 'paused_at is not null or paused_until is null' },
    indexes: {
      teams_deleted: { on: ['id'], where: 'deleted_at is not null' },
      teams_to_resume: { on: ['paused_until'], where: 'paused_until is not null' },
    },
  },
);

export const queues = table(
  'queues',
  {
    team_id: id(),
    id: id(),
    name: text(),
    timeout_seconds: integer().between(1, 300),
    /** Seconds (§3.4). */
    retry_schedule: json(),
    retries_enabled: yesNo(),
    concurrency_limit: integer().atLeast(1).orNull,
    /** domain/team/rate.ts */
    rate: text().orNull,
    assertions: json(),
    email_alerts: yesNo(),
    dead_letter_days: integer().between(1, 365),
    is_paused: yesNo(),
    paused_until: instant().orNull,
    created_at: instant(),
    /** Without `slow_seconds`; null for the defaults. */
    alert_settings: json().orNull,
    /** Apart from the other settings, because every claim reads it. */
    slow_seconds: integer().orNull,
    keeps_response_body: yesNo().default(1),
    tags: json().orNull,
    /** `WatchRules` in domain/queue-watch. */
    watch_rules: json().orNull,
    paused_at: instant().orNull,
  },
  {
    key: ['team_id', 'id'],
    unique: { one_queue_per_name: ['team_id', 'name'] },
    checks: { pause_end_is_paused: 'is_paused = 1 or paused_until is null' },
    indexes: {
      queues_by_id: { on: ['id'] },
      queues_to_resume: { on: ['paused_until'], where: 'paused_until is not null' },
    },
  },
);

/** Vacuum must remove dead rows before the next million. */
const VACUUMED_OFTEN = {
  autovacuum_vacuum_scale_factor: 0.02,
  autovacuum_vacuum_threshold: 5000,
};

/** Sorted by code points. */
const URL_START = {
  expression: { sqlite: 'substr(url, 1, 100)', postgres: 'left(url, 100) collate "C"' },
};

const attempt = {
  team_id: id(),
  id: id(),
  original_id: id(),
  attempt_number: integer().atLeast(1),
  queue_id: id(),
};
const sending = {
  method: text<HttpMethod>(),
  url: text(),
  callback_url: text().orNull,
  created_at: instant(),
  scheduled_at: instant(),
  started_at: instant().orNull,
  /** See domain/team/actors.ts. */
  actor: text().orNull,
};
const content = {
  /** JSON list of [name, value]. */
  sealed_headers: text().orNull,
  /** As given (§2.6). */
  payload: text().orNull,
};

export const jobs = table(
  'jobs',
  {
    ...attempt,
    status: oneOf('pending', 'processing'),
    ...sending,
    /** While `processing`. */
    claimed_by: id().orNull,
    ...content,
  },
  {
    key: ['team_id', 'id'],
    checks: { processing_is_claimed: "(status = 'processing') = (claimed_by is not null)" },
    indexes: {
      jobs_waiting: { on: ['queue_id', 'scheduled_at', 'id'], where: "status = 'pending'" },
      // With the time, so the search for lost claims can begin at the first doubtful claim.
      jobs_running: { on: ['queue_id', 'started_at'], where: "status = 'processing'" },
      // A delivery that succeeds at once touches neither this index nor the next.
      jobs_retrying: {
        on: ['queue_id', 'scheduled_at', 'id'],
        where: "status = 'pending' and attempt_number > 1",
      },
      jobs_attempts: { on: ['original_id'], where: 'attempt_number > 1' },
      // Postgres adds an entry to every full index at a claim, so running jobs aren't in this one: they are few. The
      // condition on `url` keeps the planner from choosing it for claims.
      jobs_by_url: {
        on: ['team_id', URL_START],
        where: { sqlite: "url <> ''", postgres: "status = 'pending' and url <> ''" },
      },
    },
    postgres: { parameters: VACUUMED_OFTEN },
  },
);

/** Large columns last: SQLite reads a row from its start, and lists need only small ones. */
const outcome = {
  completed_at: instant(),
  response_status: integer().orNull,
  reason: text<FailureReason>().orNull,
  error_message: text().orNull,
  duration_ms: integer().atLeast(0).orNull,
  /** Null without a response. */
  total_bytes: bigint().orNull,
};
const response = {
  /** `Trace`. */
  trace: json().orNull,
  /** The first 65,535 bytes (§2.5). */
  body: bytes().orNull,
};

/**
 * Only inserted, deleted, and marked by a person's Retry.
 *
 * On Postgres successful jobs are partitioned by their end (retention/partitions.ts). Failed attempts share a
 * partition: they are few, and each queue has its own days. Some distributed databases refuse two levels of partitions.
 */
export const endedJobs = table(
  'ended_jobs',
  {
    ...attempt,
    attempt_number: integer(),
    ...sending,
    status: oneOf<EndedJobStatus>('success', 'retried', 'dead_lettered', 'failed'),
    /** The job of a person's Retry. */
    retried_as: id().orNull,
    ...outcome,
    ...content,
    ...response,
  },
  {
    key: ['team_id', 'id'],
    indexes: {
      ended_jobs_of_queue: { on: ['queue_id', 'status', 'completed_at', 'id'] },
      ended_jobs_failed: {
        on: [
          'queue_id',
          'status',
          { expression: 'case when retried_as is null then 0 else 1 end' },
          { expression: "coalesce(reason, '')" },
          'completed_at',
          'id',
        ],
        where: "status in ('retried', 'dead_lettered', 'failed')",
      },
      ended_jobs_attempts: { on: ['original_id'], where: 'attempt_number > 1' },
      ended_jobs_resent: { on: ['retried_as'], where: 'retried_as is not null' },
      // The condition "url <> ''" keeps the planner from choosing it for look-ups of keys while a partition is empty.
      ended_jobs_by_url: { on: ['team_id', URL_START], where: "url <> ''" },
    },
    postgres: {
      partitions: {
        by: ['status', 'completed_at'],
        made: {
          // All other statuses come before this one.
          ended_jobs_unsuccessful: "for values from (minvalue, minvalue) to ('success', minvalue)",
          ended_jobs_rest: 'default',
        },
      },
    },
  },
);

export const crons = table(
  'crons',
  {
    team_id: id(),
    id: id(),
    name: text(),
    url: text(),
    method: text<HttpMethod>(),
    callback_url: text().orNull,
    cron_expression: text(),
    timeout_seconds: integer().between(1, 300),
    alert_threshold: integer().between(1, 3).orNull,
    is_active: yesNo(),
    paused_until: instant().orNull,
    /** Null if paused or ended. */
    next_run_at: instant().orNull,
    starts_at: instant().orNull,
    ends_at: instant().orNull,
    max_runs: integer().orNull,
    runs_counted: integer().default(0),
    assertions: json(),
    created_at: instant(),
    /** Failed runs in a row after which it is paused. */
    stop_after: integer().between(1, 1_000).orNull,
    /** Failed runs in a row when that happened; null once it is started. */
    stopped_after: integer().orNull,
    /** `Streak` in domain/alert-streak; only with a threshold or `stop_after`. */
    failed_runs: integer().atLeast(0).default(0),
    failing_since: instant().orNull,
    has_raised_failure: yesNo().default(0),
    remind_at: instant().orNull,
    alert_settings: json().orNull,
    slow_seconds: integer().orNull,
    keeps_response_body: yesNo().default(1),
    tags: json().orNull,
    sealed_headers: text().orNull,
    /** A JSON string literal: plain text could contain NUL or a lone surrogate, which Postgres refuses. */
    payload: json().orNull,
  },
  {
    key: ['team_id', 'id'],
    checks: {
      paused_never_runs: 'is_active = 1 or next_run_at is null',
      stopped_is_paused: 'is_active = 0 or stopped_after is null',
      pause_end_is_paused: 'is_active = 0 or paused_until is null',
    },
    indexes: {
      crons_waiting: { on: ['team_id', 'next_run_at', 'id'], where: 'next_run_at is not null' },
      crons_to_resume: { on: ['paused_until'], where: 'paused_until is not null' },
      crons_to_remind: { on: ['remind_at'], where: 'remind_at is not null' },
    },
  },
);

export const executions = table(
  'executions',
  {
    team_id: id(),
    id: id(),
    cron_id: id(),
    /** Null for Run now. */
    scheduled_for: instant().orNull,
    status: oneOf('pending', 'running'),
    created_at: instant(),
    started_at: instant().orNull,
    claimed_by: id().orNull,
    /** Of Run now. */
    actor: text().orNull,
  },
  {
    key: ['team_id', 'id'],
    unique: { one_run_per_tick: ['team_id', 'cron_id', 'scheduled_for'] },
    indexes: {
      executions_of_cron: { on: ['cron_id', 'id'] },
      executions_waiting: { on: ['team_id', 'created_at', 'id'], where: "status = 'pending'" },
      executions_running: { on: ['claimed_by'], where: "status = 'running'" },
    },
    postgres: { parameters: VACUUMED_OFTEN },
  },
);

export const endedExecutions = table(
  'ended_executions',
  {
    team_id: id(),
    id: id(),
    cron_id: id(),
    scheduled_for: instant().orNull,
    created_at: instant(),
    started_at: instant().orNull,
    actor: text().orNull,
    status: oneOf<EndedExecutionStatus>('success', 'failed'),
    ...outcome,
    ...response,
  },
  {
    key: ['team_id', 'id'],
    indexes: {
      ended_executions_of_cron: { on: ['cron_id', 'id'] },
      ended_executions_of_tick: {
        on: ['team_id', 'cron_id', 'scheduled_for'],
        where: 'scheduled_for is not null',
      },
      // Like `ended_jobs_of_queue`, so one list has both by their ends.
      ended_executions_ends: { on: ['cron_id', 'status', 'completed_at', 'id'] },
      // The condition "status <> ''" keeps the planner from choosing it for one cron's last ends.
      ended_executions_expiring: { on: ['completed_at'], where: "status <> ''" },
      ended_executions_successes: { on: ['completed_at'], where: "status = 'success'" },
    },
  },
);

export const callbacks = table(
  'callbacks',
  {
    team_id: id(),
    id: id(),
    run_id: id(),
    /** Which sends it; null while it waits. */
    node_id: id().orNull,
    url: text(),
    body: text(),
    created_at: instant(),
  },
  {
    key: ['team_id', 'id'],
    indexes: { callbacks_taken: { on: ['node_id'], where: 'node_id is not null' } },
  },
);

export const bulkTasks = table(
  'bulk_tasks',
  {
    team_id: id(),
    id: id(),
    kind: oneOf('fire', 'retry', 'delete'),
    search: json(),
    /** Later jobs are left alone. */
    up_to_id: id(),
    state: oneOf('waiting', 'running', 'done', 'cancelled', 'failed'),
    total: integer(),
    is_total_more: yesNo(),
    done: bigint().default(0),
    skipped: bigint().default(0),
    /** Of a spread retry (domain/team/rate.ts). */
    rate: text().orNull,
    /** Of the jobs that a retry creates. */
    actor: text().orNull,
    cursor: text().orNull,
    /** With the end of its claim. */
    claimed_by: id().orNull,
    claimed_until: instant().default(0),
    created_at: instant(),
    finished_at: instant().orNull,
  },
  {
    key: ['team_id', 'id'],
    checks: { finished_has_a_time: "(state in ('waiting', 'running')) = (finished_at is null)" },
    indexes: { bulk_tasks_open: { on: ['id'], where: 'finished_at is null' } },
  },
);

export const activity = table(
  'activity',
  {
    team_id: id(),
    id: id(),
    at: instant(),
    actor_id: id().orNull,
    actor: text(),
    /** An `ActivityAction`, of this or a newer version. */
    action: text(),
    subject_id: id().orNull,
    subject: text().orNull,
    detail: text().orNull,
  },
  {
    key: ['team_id', 'id'],
    indexes: {
      activity_of_subject: { on: ['team_id', 'subject_id', 'id'] },
      activity_by_time: { on: ['at'] },
    },
  },
);

export const nodes = table(
  'nodes',
  {
    id: id(),
    started_at: instant(),
    /** Changes with each renewal. Only `doctor` reads it as a time (§3.6). */
    lease_until: instant(),
  },
  { key: ['id'] },
);

/** See taken-slots.ts. On SQLite one row for each queue with a rate. */
export const takenSlots = table(
  'taken_slots',
  {
    team_id: id(),
    queue_id: id(),
    /** Only the highest one counts. */
    number: bigint(),
    /** Null if unknown. */
    job_ids: ids().orNull,
    /** Until then running jobs are counted. */
    recount_until: instant(),
    /** Microseconds (domain/team/rate.ts); null without a rate. */
    rate_spent_until: bigint().orNull,
  },
  { key: ['team_id', 'queue_id', 'number'] },
);

export const installation = table('installation', { key: text(), value: text() }, { key: ['key'] });

export const migrations = table(
  'migrations',
  { name: text(), applied_at: instant() },
  { key: ['name'] },
);
