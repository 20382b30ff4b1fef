/** Without headers and payloads, which may hold secrets. */
import { hasEnded } from '#domain/cron/cron-end';
import { describeUsage } from '#domain/team/usage';
import type { Member, TeamWithUsage, User } from '#people/operator';
import type { ServiceAccount } from '#people/service-accounts';
import type { Activity } from '#work/activity';
import type { Alert } from '#work/alerts';
import type { ListedChannel } from '#work/channels';
import type { Cron, ExecutionDetail, ExecutionRecord } from '#work/crons';
import type { JobRecord } from '#work/jobs';
import type { Queue } from '#work/queues';
import { recordOf } from '#work/record';
import type { Explanation } from '#work/run-detail';
import { CRON } from '#work/resources/cron';
import { QUEUE } from '#work/resources/queue';
import { writeRecord } from '#work/resources/resource';

type Written = Record<string, unknown> & { id: string };

/** Without a cut character at its end (§2.7). */
export function writeBody(body: Uint8Array | null): string | null {
  if (body === null) return null;
  // With `stream`, the decoder holds back the bytes of an unfinished character.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body, { stream: true });
}

const OUTCOME = [
  'started_at',
  'completed_at',
  'response_status',
  'reason',
  'error_message',
  'duration_ms',
] as const;

const OF_JOB = ['original_id', 'attempt_number', 'queue', 'method', 'url', 'scheduled_at'] as const;

export function writeJob(job: JobRecord, body: Uint8Array | null) {
  const response_body = writeBody(body);
  const made = recordOf(job, ['id', 'status', ...OF_JOB, ...OUTCOME]);
  return { ...made, response_body, ...recordOf(job, ['retried_as', 'actor']) };
}

/** As on the page of the run. */
export function writeExplanation(explanation: Explanation | null) {
  return explanation && recordOf(explanation, ['title', 'text', 'next_step', 'use_url']);
}

export function writeExecution(run: ExecutionRecord & Partial<Pick<ExecutionDetail, 'response'>>) {
  const response_body = writeBody(run.response?.body ?? null);
  const made = recordOf(run, ['id', 'cron_id', 'status', 'scheduled_for', ...OUTCOME]);
  return { ...made, response_body, actor: run.actor };
}

export function writeCron(cron: Cron): Written {
  return {
    id: cron.id,
    ...writeRecord(CRON, cron),
    ...recordOf(cron, ['runs_counted', 'stopped_after']),
    has_ended: hasEnded(cron),
    ...recordOf(cron, ['next_run_at', 'created_at']),
  };
}

export function writeQueue(queue: Queue): Written {
  const { id, name } = queue;
  return { id, name, ...writeRecord(QUEUE, queue), ...recordOf(queue, ['created_at']) };
}

const ADDRESS = ['email', 'state', 'asked_at', 'stopped_at'] as const;

/** Addresses and tokens are shown in part. The default has no name. */
export function writeChannel(channel: ListedChannel) {
  const { id, name, kind } = channel;
  const shown = Object.fromEntries(channel.shown.map((each) => [each.name, each.text]));
  const addresses = channel.addresses.map((each) => recordOf(each, ADDRESS));
  const of = ['collect_minutes', 'last_sent_at', 'last_error', 'last_error_at'] as const;
  const more = kind === 'email-addresses' && { addresses };
  return { id, name, kind, shown, ...more, ...recordOf(channel, of) };
}

const OF_RUN = [
  'run_id',
  'attempt_number',
  'response_status',
  'reason',
  'error_message',
  'failed_runs',
  'down_ms',
  'delivery',
  'muted_by',
  'kind',
] as const;

/** A usage alert has no run (§6.7). */
export function writeAlert(alert: Alert) {
  const { id, level, source } = alert;
  const about = { source: source.kind, source_id: source.id, source_name: source.name };
  const run =
    alert.level === 'usage'
      ? { ...nulls(OF_RUN), error_message: describeUsage({ ...alert, limit: alert.monthlyLimit }) }
      : recordOf(alert, OF_RUN);
  return { id, ...recordOf(alert, ['raised_at']), level, ...about, ...run, is_read: alert.isRead };
}

function nulls<Name extends string>(names: readonly Name[]): Record<Name, unknown> {
  return Object.fromEntries(names.map((name) => [name, null])) as Record<Name, unknown>;
}

export function writeTeam({ teamId: id, limit: monthlyLimit, ...team }: TeamWithUsage) {
  const of = ['id', 'name', 'plan', 'used', 'created_at', 'monthly_limit'] as const;
  return recordOf({ id, monthlyLimit, ...team }, of);
}

export function writeUser(user: User) {
  const of = ['is_email_verified', 'has_second_factor', 'current_team_id'] as const;
  return recordOf(user, ['id', 'email', 'name', ...of]);
}

export function writeMember(member: Member) {
  const of = ['user_id', 'email', 'name', 'role', 'joined_at', 'group'] as const;
  return recordOf(member, [...of, 'has_second_factor', 'has_passkey']);
}

export function writeServiceAccount(account: ServiceAccount) {
  return recordOf(account, ['id', 'name', 'hint', 'made_by', 'created_at', 'last_used_at']);
}

/** The command line has no `actor_id`. */
export function writeActivity({ subject, ...activity }: Activity) {
  const about = { subject_id: subject?.id ?? null, subject: subject?.name ?? null };
  const made = recordOf(activity, ['id', 'at', 'actor_id', 'actor', 'action']);
  return { ...made, ...about, detail: activity.detail };
}
