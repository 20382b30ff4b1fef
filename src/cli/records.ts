import type { TeamWithUsage } from '#people/operator';
import { formatMillis } from '#domain/instant';
import { describeUsage } from '#domain/usage';
import { hasEnded } from '#domain/cron-end';
import type { Activity } from '#work/activity';
import type { Alert, StoredAlert, UsageAlert } from '#work/alerts';
import type { ListedChannel } from '#work/channels';
import type { Cron, ExecutionDetail, ExecutionRecord } from '#work/crons';
import type { JobRecord } from '#work/jobs';
import type { Queue } from '#work/queues';
import { CRON } from '#work/resources/cron';
import { QUEUE } from '#work/resources/queue';
import { writeRecord } from '#work/resources/resource';

/**
 * Records as the command line prints them, with the field names that scripts rely on. Headers and payloads are left
 * out, since they may hold secrets.
 */

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
    scheduled_at: formatMillis(job.scheduledAt),
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
    scheduled_for: formatMillis(execution.scheduledFor),
    ...writeOutcome(execution, execution.response?.body ?? null),
  };
}

function writeOutcome(run: JobRecord | ExecutionRecord, body: Uint8Array | null) {
  return {
    started_at: formatMillis(run.startedAt),
    completed_at: formatMillis(run.completedAt),
    response_status: run.responseStatus,
    reason: run.reason,
    error_message: run.errorMessage,
    duration_ms: run.durationMs,
    response_body: writeBody(body),
  };
}

type Written = Record<string, unknown> & { id: string };

export function writeCron(cron: Cron): Written {
  const { id, runsCounted, nextRunAt, createdAt } = cron;
  const counted = { runs_counted: runsCounted, has_ended: hasEnded(cron) };
  const times = { next_run_at: formatMillis(nextRunAt), created_at: formatMillis(createdAt) };
  return { id, ...writeRecord(CRON, cron), ...counted, ...times };
}

export function writeQueue(queue: Queue): Written {
  const { id, name, createdAt } = queue;
  return { id, name, ...writeRecord(QUEUE, queue), created_at: formatMillis(createdAt) };
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
    last_sent_at: formatMillis(channel.lastSentAt),
    last_error: channel.lastError,
    last_error_at: formatMillis(channel.lastErrorAt),
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
    raised_at: formatMillis(alert.raisedAt),
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
    raised_at: formatMillis(alert.raisedAt),
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
    created_at: formatMillis(team.createdAt),
  };
}

export function writeActivity({ id, at, actorId, actor, action, subject, detail }: Activity) {
  return {
    id,
    at: formatMillis(at),
    /** Null: the operator at the command line. */
    actor_id: actorId,
    actor,
    action,
    subject_id: subject?.id ?? null,
    subject: subject?.name ?? null,
    detail,
  };
}
