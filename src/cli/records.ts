import type { TeamWithUsage } from '#people/operator';
import { formatRate } from '#domain/rate';
import { describeUsage } from '#domain/usage';
import type { AlertSettings } from '#domain/alert-settings';
import { hasEnded } from '#domain/cron-end';
import type { Activity } from '#work/activity';
import type { Alert, StoredAlert, UsageAlert } from '#work/alerts';
import type { ListedChannel } from '#work/channels';
import type { Cron, ExecutionDetail, ExecutionRecord } from '#work/crons';
import type { JobRecord } from '#work/jobs';
import type { Queue } from '#work/queues';

/**
 * Records as the command line prints them, with the field names that scripts rely on. Headers and payloads are left
 * out, since they may hold secrets.
 */

/** ISO 8601 in UTC with milliseconds, to show how late a run was: `2026-11-20T09:05:00.123+00:00`. */
export function writeInstant(ms: number): string;
export function writeInstant(ms: number | null): string | null;
export function writeInstant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString().replace('Z', '+00:00');
}

/** The stored part of a body as text. A character that was cut at its end is left out (§2.7). */
export function writeBody(body: Uint8Array | null): string | null {
  if (body === null) return null;
  // With `stream`, the decoder holds back the bytes of an unfinished character.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body, { stream: true });
}

export function writeJob(job: JobRecord, body: Uint8Array | null) {
  return {
    id: job.id,
    original_id: job.originalId,
    status: job.status,
    attempt_number: job.attemptNumber,
    queue: job.queue,
    method: job.method,
    url: job.url,
    scheduled_at: writeInstant(job.scheduledAt),
    ...writeOutcome(job, body),
    retried_as: job.retriedAs,
  };
}

export function writeExecution(
  execution: ExecutionRecord & Partial<Pick<ExecutionDetail, 'response'>>,
) {
  return {
    id: execution.id,
    cron_id: execution.cronId,
    status: execution.status,
    scheduled_for: writeInstant(execution.scheduledFor),
    ...writeOutcome(execution, execution.response?.body ?? null),
  };
}

function writeOutcome(run: JobRecord | ExecutionRecord, body: Uint8Array | null) {
  return {
    started_at: writeInstant(run.startedAt),
    completed_at: writeInstant(run.completedAt),
    response_status: run.responseStatus,
    reason: run.reason,
    error_message: run.errorMessage,
    duration_ms: run.durationMs,
    response_body: writeBody(body),
  };
}

export function writeCron(cron: Cron) {
  return {
    id: cron.id,
    name: cron.name,
    cron_expression: cron.cronExpression,
    method: cron.method,
    url: cron.url,
    callback_url: cron.callbackUrl,
    timeout_seconds: cron.timeoutSeconds,
    alert_threshold: cron.alertThreshold,
    assertions: cron.assertions,
    ...writeAlertSettings(cron.alertSettings),
    ends_at: writeInstant(cron.end.endsAt),
    max_runs: cron.end.maxRuns,
    runs_counted: cron.runsCounted,
    has_ended: hasEnded(cron),
    is_active: cron.isActive,
    tags: cron.tags,
    next_run_at: writeInstant(cron.nextRunAt),
    created_at: writeInstant(cron.createdAt),
  };
}

export function writeQueue(queue: Queue) {
  return {
    id: queue.id,
    name: queue.name,
    timeout_seconds: queue.timeoutSeconds,
    retries_enabled: queue.retriesEnabled,
    /** Seconds before each retry. */
    retry_schedule: queue.retrySchedule,
    concurrency_limit: queue.concurrencyLimit,
    rate: queue.rate && formatRate(queue.rate),
    assertions: queue.assertions,
    email_alerts: queue.emailAlerts,
    ...writeAlertSettings(queue.alertSettings),
    dead_letter_days: queue.deadLetterDays,
    is_paused: queue.isPaused,
    tags: queue.tags,
    created_at: writeInstant(queue.createdAt),
  };
}

/** Channels by their ids, as `channel list` prints them; a level that is left out goes to the default. */
function writeAlertSettings({ channels, note, runbookUrl, slow, remindHours }: AlertSettings) {
  return {
    alert_channels: channels,
    alert_note: note,
    runbook_url: runbookUrl,
    slow_seconds: slow?.seconds ?? null,
    slow_times_median: slow?.timesMedian ?? null,
    remind_hours: remindHours,
  };
}

/** What it is reached by is shown only in part. */
export function writeChannel(channel: ListedChannel) {
  return {
    id: channel.id,
    /** Null: the default. */
    name: channel.name,
    kind: channel.kind,
    shown: Object.fromEntries(channel.shown.map(({ name, text }) => [name, text])),
    collect_minutes: channel.collectMinutes,
    last_sent_at: writeInstant(channel.lastSentAt),
    last_error: channel.lastError,
    last_error_at: writeInstant(channel.lastErrorAt),
  };
}

export function writeAlert(alert: Alert) {
  return alert.level === 'usage' ? writeUsageAlert(alert) : writeAlertOfRun(alert);
}

/**
 * Has the same field names as other alerts. Fields that only a run has are null, and so is `delivery`: an alert about
 * usage is sent nowhere (§6.7).
 */
function writeUsageAlert(alert: UsageAlert): AlertRecord {
  return {
    id: alert.id,
    raised_at: writeInstant(alert.raisedAt),
    level: alert.level,
    source: alert.source.kind,
    source_id: alert.source.id,
    source_name: alert.source.name,
    run_id: null,
    attempt_number: null,
    response_status: null,
    reason: null,
    error_message: describeUsage(alert),
    failed_runs: null,
    down_ms: null,
    delivery: null,
    muted_by: null,
    is_read: alert.isRead,
    kind: null,
  };
}

type AlertRecord = { id: string } & { [Name in keyof ReturnType<typeof writeAlertOfRun>]: unknown };

function writeAlertOfRun(alert: StoredAlert) {
  return {
    id: alert.id,
    raised_at: writeInstant(alert.raisedAt),
    level: alert.level,
    /** `cron` or `queue`; `source_name` is its name at that time. */
    source: alert.source.kind,
    source_id: alert.source.id,
    source_name: alert.source.name,
    /** The id of the cron's execution or the queue's job. */
    run_id: alert.runId,
    attempt_number: alert.attemptNumber,
    response_status: alert.responseStatus,
    reason: alert.reason,
    error_message: alert.errorMessage,
    failed_runs: alert.failedRuns,
    down_ms: alert.downMs,
    delivery: alert.delivery,
    muted_by: alert.mutedBy,
    is_read: alert.isRead,
    kind: alert.kind,
  };
}

export function writeTeam(team: TeamWithUsage) {
  return {
    id: team.teamId,
    name: team.name,
    plan: team.plan,
    monthly_limit: team.limit,
    used: team.used,
    created_at: writeInstant(team.createdAt),
  };
}

export function writeActivity({ id, at, actorId, actor, action, subject, detail }: Activity) {
  return {
    id,
    at: writeInstant(at),
    /** Null: the operator at the command line. */
    actor_id: actorId,
    actor,
    action,
    subject_id: subject?.id ?? null,
    subject: subject?.name ?? null,
    detail,
  };
}
