/**
 * Teams, crons, queues and jobs, and their runs.
 *
 * Every delivery pays for each index on `jobs` and `ended_jobs`, so there is one only for each frequent question. Lists
 * are merged from one range per queue and state (lists/ranges.ts), so most of them need no index of their own.
 *
 * A column named `sealed_…` holds a secret that seal.ts has encrypted.
 */
import type { FailureReason } from '#domain/failure';
import type { HttpMethod } from '#domain/exchange';
import type { EndedExecutionStatus, EndedJobStatus } from '#domain/run-status';
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
    /** When the signing secret took effect. */
    signing_secret_set_at: instant().orNull,
    sealed_next_signing_secret: text().orNull,
    next_signing_secret_set_at: instant().orNull,
    created_at: instant(),
    /** Since when all work of the team is paused, and by which user; null: it is not paused (team-pauses.ts). */
    paused_at: instant().orNull,
    paused_by: text().orNull,
    /** Set when the team is deleted: its work stops at once, its rows are deleted in small batches. */
    deleted_at: instant().orNull,
  },
  {
    key: ['id'],
    indexes: { teams_deleted: { on: ['id'], where: 'deleted_at is not null' } },
  },
);

export const queues = table(
  'queues',
  {
    team_id: id(),
    id: id(),
    name: text(),
    timeout_seconds: integer().between(1, 300),
    /** JSON list of seconds (§3.4). */
    retry_schedule: json(),
    retries_enabled: yesNo(),
    concurrency_limit: integer().atLeast(1).orNull,
    /** As domain/rate.ts writes it; null for none. */
    rate: text().orNull,
    /** JSON list of `Assertion`. */
    assertions: json(),
    email_alerts: yesNo(),
    dead_letter_days: integer().between(1, 365),
    is_paused: yesNo(),
    created_at: instant(),
    /** JSON of `AlertSettings` without its rule of slow runs; null for the defaults. */
    alert_settings: json().orNull,
    /** JSON of `SlowRule`, apart from the other settings because it travels with every claim. */
    slow_rule: json().orNull,
    /** JSON list of tags; null for none. */
    tags: json().orNull,
  },
  {
    key: ['team_id', 'id'],
    unique: { one_queue_per_name: ['team_id', 'name'] },
    indexes: { queues_by_id: { on: ['id'] } },
  },
);

/** Every run leaves `jobs` and `executions` soon. Its dead row must be vacuumed before the next million has come. */
const VACUUMED_OFTEN = {
  autovacuum_vacuum_scale_factor: 0.02,
  autovacuum_vacuum_threshold: 5000,
};

/** The indexed start of a URL, sorted by code points. */
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
};
const content = {
  /** JSON list of [name, value]. */
  sealed_headers: text().orNull,
  /** JSON text as given (§2.6). */
  payload: text().orNull,
};

export const jobs = table(
  'jobs',
  {
    ...attempt,
    status: oneOf('pending', 'processing'),
    ...sending,
    /** The node that has claimed the job, while `processing`. */
    claimed_by: id().orNull,
    ...content,
  },
  {
    key: ['team_id', 'id'],
    checks: { processing_is_claimed: "(status = 'processing') = (claimed_by is not null)" },
    indexes: {
      jobs_waiting: { on: ['queue_id', 'scheduled_at', 'id'], where: "status = 'pending'" },
      // With the time, so that the search for lost claims can begin at the time of the first claim in doubt.
      jobs_running: { on: ['queue_id', 'started_at'], where: "status = 'processing'" },
      // A delivery that succeeds at once never touches this index nor the next one.
      jobs_retrying: {
        on: ['queue_id', 'scheduled_at', 'id'],
        where: "status = 'pending' and attempt_number > 1",
      },
      jobs_attempts: { on: ['original_id'], where: 'attempt_number > 1' },
      // Postgres adds an entry to every full index whenever a job is claimed, so running jobs are not in this index
      // there: they are few and examined one by one. SQLite writes an index only if its columns change.
      // The condition on `url` keeps the planner from choosing it for other statements: on Postgres it has entries of
      // all jobs that waited since the last vacuum, and the planner chose it for claims.
      jobs_by_url: {
        on: ['team_id', URL_START],
        where: { sqlite: "url <> ''", postgres: "status = 'pending' and url <> ''" },
      },
    },
    postgres: { parameters: VACUUMED_OFTEN },
  },
);

/**
 * The outcome of a run, with the stored part of its response. Large columns come last: SQLite reads a row from its
 * start, and lists need only the small ones.
 */
const outcome = {
  completed_at: instant(),
  response_status: integer().orNull,
  reason: text<FailureReason>().orNull,
  error_message: text().orNull,
  duration_ms: integer().atLeast(0).orNull,
  /** The size of the whole response body; null without a response. */
  total_bytes: bigint().orNull,
};
const response = {
  /** JSON of `Trace`: timing, address, response headers. */
  trace: json().orNull,
  /** The first 65,535 bytes (§2.5); null without a response. */
  body: bytes().orNull,
};

/**
 * Attempts of jobs that have ended. Rows are only inserted and deleted; the one change is the mark of a person's Retry.
 *
 * On Postgres successful jobs are partitioned by the time of their end, so that old ones are dropped with a partition
 * and not deleted row by row (postgres/partitions.ts). Failed attempts share a partition: they are few, and each queue
 * keeps dead letters for its own number of days. Successes whose time has no partition go into `ended_jobs_rest`. There
 * is one level of partitions, because some distributed databases refuse two.
 */
export const endedJobs = table(
  'ended_jobs',
  {
    ...attempt,
    attempt_number: integer(),
    ...sending,
    status: oneOf<EndedJobStatus>('success', 'retried', 'dead_lettered', 'failed'),
    /** The job that a person's Retry made of this failed one. */
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
      // Used only by statements with the condition "url <> ''". Without it the planner, while a partition is empty,
      // chose this index, by its team, for look-ups of whole keys.
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
    /** Null while paused, and once it has ended. */
    next_run_at: instant().orNull,
    ends_at: instant().orNull,
    max_runs: integer().orNull,
    runs_counted: integer().default(0),
    assertions: json(),
    created_at: instant(),
    /** The streak of failed runs: see `Streak` in domain/alert-streak. Kept only while the cron has a threshold. */
    failed_runs: integer().atLeast(0).default(0),
    failing_since: instant().orNull,
    has_raised_failure: yesNo().default(0),
    /** The time of the next reminder that the cron still fails. */
    remind_at: instant().orNull,
    /** As in `queues`. */
    alert_settings: json().orNull,
    slow_rule: json().orNull,
    tags: json().orNull,
    sealed_headers: text().orNull,
    /**
     * The payload as a JSON string literal: a plain text could contain NUL or half a surrogate pair, which Postgres
     * refuses.
     */
    payload: json().orNull,
  },
  {
    key: ['team_id', 'id'],
    checks: { paused_never_runs: 'is_active = 1 or next_run_at is null' },
    indexes: {
      crons_waiting: { on: ['team_id', 'next_run_at', 'id'], where: 'next_run_at is not null' },
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
    /** The scheduled time of the execution; null for Run now. */
    scheduled_for: instant().orNull,
    status: oneOf('pending', 'running'),
    created_at: instant(),
    started_at: instant().orNull,
    claimed_by: id().orNull,
  },
  {
    key: ['team_id', 'id'],
    // A scheduled time is started once, on any number of nodes.
    unique: { one_run_per_tick: ['team_id', 'cron_id', 'scheduled_for'] },
    indexes: {
      executions_of_cron: { on: ['cron_id', 'id'] },
      executions_waiting: { on: ['team_id', 'created_at', 'id'], where: "status = 'pending'" },
      executions_running: { on: ['claimed_by'], where: "status = 'running'" },
    },
    postgres: { parameters: VACUUMED_OFTEN },
  },
);

/** Runs of crons that have ended. Rows are only inserted and deleted. */
export const endedExecutions = table(
  'ended_executions',
  {
    team_id: id(),
    id: id(),
    cron_id: id(),
    scheduled_for: instant().orNull,
    created_at: instant(),
    started_at: instant().orNull,
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
      // By their ends, like `ended_jobs_of_queue`, so that one list shows both in the order of their ends.
      ended_executions_ends: { on: ['cron_id', 'status', 'completed_at', 'id'] },
      // Used only by statements with the condition "status <> ''". The planner chose it for lists of the last ends of
      // one cron, and then read the ends of all crons.
      ended_executions_expiring: { on: ['completed_at'], where: "status <> ''" },
      ended_executions_successes: { on: ['completed_at'], where: "status = 'success'" },
    },
  },
);

const callback = {
  team_id: id(),
  id: id(),
  run_id: id(),
  url: text(),
  body: text(),
  created_at: instant(),
};

export const callbacks = table('callbacks', callback, { key: ['team_id', 'id'] });

export const callbacksUnderWay = table(
  'callbacks_under_way',
  { node_id: id(), ...callback },
  { key: ['node_id', 'team_id', 'id'] },
);

export const bulkTasks = table(
  'bulk_tasks',
  {
    team_id: id(),
    id: id(),
    kind: oneOf('fire', 'retry', 'delete'),
    /** JSON of `JobSearch`. */
    search: json(),
    /** Jobs with a later id arrived later and are left alone. */
    up_to_id: id(),
    state: oneOf('waiting', 'running', 'done', 'cancelled', 'failed'),
    total: integer(),
    is_total_more: yesNo(),
    done: bigint().default(0),
    skipped: bigint().default(0),
    /** Of a retry that is spread: the rate, as domain/rate.ts writes it. */
    rate: text().orNull,
    /** The place in the list where the task continues. */
    cursor: text().orNull,
    /** The node that works on the task, and the end of its claim. */
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
    /** Null: the operator at the command line. */
    actor_id: id().orNull,
    /** The person's name at that time. */
    actor: text(),
    /** An `ActivityAction`, of this or of a newer version. */
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
    /** Changes with each renewal and is only compared. Only `doctor` reads it as a time (§3.6). */
    lease_until: instant(),
  },
  { key: ['id'] },
);

/** See taken-slots.ts. On SQLite only for queues with a rate, one row each. */
export const takenSlots = table(
  'taken_slots',
  {
    team_id: id(),
    queue_id: id(),
    /** Only the row with the highest number of a queue counts. */
    number: bigint(),
    /** Null if the running jobs are unknown. */
    job_ids: ids().orNull,
    /** Until this time the running jobs are counted instead of read from the list. */
    recount_until: instant(),
    /** Until when the queue's rate is spent, in microseconds since 1970 UTC (domain/rate.ts); null where it has none. */
    rate_spent_until: bigint().orNull,
  },
  { key: ['team_id', 'queue_id', 'number'] },
);

export const installation = table('installation', { key: text(), value: text() }, { key: ['key'] });

/** Applied migrations (migrations/migrate.ts). */
export const migrations = table(
  'migrations',
  { name: text(), applied_at: instant() },
  { key: ['name'] },
);
