import { alerts as alertsTable } from '../tables/alerts.ts';
import { fieldsOf } from '../tables/table.ts';
import { sql } from 'kysely';
import { findGathering, NO_BURST, openNotice } from '#domain/alert-burst';
import { type AlertSettings, type ChannelRef, resolveChannels } from '#domain/alert-settings';
import type { AlertLevel } from '#domain/alert-streak';
import type { FailureReason } from '#domain/failure';
import { newId } from '#domain/ids';
import { type AlertSource, findMutingWindow } from '#domain/maintenance';
import type { AlertKind } from '../tables/alerts.ts';
import type { Trx } from '../database/database.ts';
import { packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import {
  type NewGroup,
  lockGroup,
  insertNotices,
  readKnownChannels,
  hasRecipients,
} from './notice-rows.ts';
import { readWindows, type StoredWindow } from './window-rows.ts';
import { addMissing, change, one } from '../database/rows.ts';

/** An alert to be raised. */
export interface AlertToRaise {
  teamId: string;
  level: AlertLevel;
  source: AlertSource & { name: string };
  runId: string;
  /** Jobs: from 1; null for crons. */
  attemptNumber: number | null;
  /** When the run was completed. Maintenance windows are compared with this time. */
  raisedAt: number;
  responseStatus: number | null;
  reason: FailureReason | null;
  errorMessage: string | null;
  failedRuns: number | null;
  downMs: number | null;
  /** The alert settings of the cron or queue. */
  settings: AlertSettings;
  kind: AlertKind | null;
}

interface Placed {
  alert: AlertToRaise;
  mutedBy: StoredWindow | null;
  /** The channels to notify, each once; none if a maintenance window mutes the alert. */
  channels: readonly ChannelRef[];
  noticeId: string | null;
}

/**
 * Records alerts and their notices, in the transaction of the settlements that raise them (§6.5, §6.6). Alerts inside a
 * maintenance window are muted. Alerts of one queue in a burst share a group. Each channel of a group gets one notice.
 */
export async function raiseAlerts(trx: Trx, alerts: readonly AlertToRaise[]): Promise<void> {
  if (alerts.length === 0) return;
  const teamIds = [...new Set(alerts.map(({ teamId }) => teamId))];
  const windows = await readWindows(trx, teamIds);
  const byTeam = Map.groupBy(windows, ({ teamId }) => teamId);
  const known = await readKnownChannels(trx, teamIds);
  const placed = alerts.map((alert): Placed => {
    const { teamId, source, raisedAt, settings, level } = alert;
    const mutedBy = findMutingWindow(byTeam.get(teamId) ?? [], source, raisedAt);
    const ids = new Set(known.get(teamId)?.keys());
    return { alert, mutedBy, channels: resolveChannels(settings, level, ids), noticeId: null };
  });
  const groups = await placeInNotices(trx, placed);
  await insertNotices(trx, groups, known);
  await insertAlerts(trx, placed);
}

/** Puts every alert that has recipients into a group, and returns the groups that are new. */
async function placeInNotices(trx: Trx, placed: readonly Placed[]): Promise<NewGroup[]> {
  const sent = placed.filter(
    ({ alert, mutedBy, channels }) =>
      mutedBy === null && hasRecipients(mailsMembers(alert), channels),
  );
  const groups = Map.groupBy(sent, ({ alert }) => groupOf(alert));
  const notices: NewGroup[] = [];
  // Locks bursts in the same order everywhere, so that two nodes cannot deadlock.
  for (const key of [...groups.keys()].toSorted()) {
    const group = groups.get(key) ?? [];
    const [first] = group;
    if (!first) continue;
    const notice = !comesInBursts(first.alert)
      ? newNotice(first, newId(first.alert.raisedAt), 1, first.alert.raisedAt)
      : await placeBurst(trx, group);
    if (typeof notice !== 'string') notices.push(notice);
    const noticeId = typeof notice === 'string' ? notice : notice.id;
    for (const each of group) each.noticeId = noticeId;
  }
  return notices;
}

/** Whether every member is mailed too: for alerts and reminders of failed jobs (§6.4, §6.5). */
function mailsMembers({ source, kind }: AlertToRaise): boolean {
  return source.kind === 'queue' && kind !== 'slow';
}

/** Whether alerts in a burst share a notice: those of failing jobs. */
function comesInBursts({ source, kind }: AlertToRaise): boolean {
  return source.kind === 'queue' && kind === null;
}

/**
 * The key of an alert's group. Only alerts of failing jobs share one: a streak raises few alerts, and each has other
 * content.
 */
function groupOf(alert: AlertToRaise): string {
  const { teamId, source, level, runId, kind } = alert;
  return `${teamId} ${source.id} ${comesInBursts(alert) ? level : `${runId} ${kind}`}`;
}

function newNotice(
  { alert, channels }: Placed,
  id: string,
  alertCount: number,
  dueAt: number,
): NewGroup {
  const { teamId } = alert;
  return { teamId, id, mailsMembers: mailsMembers(alert), channels, alertCount, dueAt };
}

/** Adds alerts of a queue to the group that gathers them, and gives its id; else gives a new group. */
async function placeBurst(trx: Trx, group: readonly Placed[]): Promise<NewGroup | string> {
  const last = group.at(-1);
  if (!last) throw new Error('a group has alerts');
  const { alert } = last;
  const burst = await lockBurst(trx, alert);
  const gathering = findGathering(burst, alert.raisedAt);
  const join = { teamId: alert.teamId, groupId: gathering ?? '', more: group.length };
  if (gathering !== null && (await joinNotices(trx, join))) return gathering;
  const noticeId = newId(alert.raisedAt);
  const opened = openNotice(burst, noticeId, alert.raisedAt);
  await change(
    trx,
    'alert_bursts',
    { team_id: alert.teamId, queue_id: alert.source.id, level: alert.level },
    {
      quiet_until: opened.burst.quietUntil,
      gathering_notice_id: opened.burst.gathering?.noticeId ?? null,
      gathering_until: opened.burst.gathering?.until ?? null,
    },
  );
  return newNotice(last, noticeId, group.length, opened.dueAt);
}

/** Locks the burst's row until the end of the transaction, so that two nodes do not both open a group. */
async function lockBurst(trx: Trx, { teamId, source, level }: AlertToRaise) {
  await addMissing(trx, 'alert_bursts', {
    team_id: teamId,
    queue_id: source.id,
    level,
    quiet_until: NO_BURST.quietUntil,
    gathering_notice_id: null,
    gathering_until: null,
  });
  const row = await one(
    trx,
    'alert_bursts',
    { team_id: teamId, queue_id: source.id, level },
    undefined,
    'for update',
  );
  const noticeId = row?.gathering_notice_id ?? null;
  const gathering = noticeId === null ? null : { noticeId, until: row?.gathering_until ?? 0 };
  return { quietUntil: row?.quiet_until ?? NO_BURST.quietUntil, gathering };
}

/** Adds alerts to all notices of a group, or to none: false if one of them has been claimed, or all are gone. */
async function joinNotices(
  trx: Trx,
  { teamId, groupId, more }: { teamId: string; groupId: string; more: number },
): Promise<boolean> {
  const notices = await lockGroup(trx, teamId, groupId);
  if (notices.length === 0 || notices.some(({ claim_id }) => claim_id !== null)) return false;
  const ids = notices.map(({ id }) => id);
  await change(
    trx,
    'notices',
    { team_id: teamId, id: ids },
    { alert_count: sql`alert_count + ${more}` },
  );
  return true;
}

const ALERT = fieldsOf(alertsTable.columns, 'is_read', 'month', 'mark', 'used', 'monthly_limit');

const ALERT_COLUMNS = Object.keys(ALERT).join(', ');

const insertAlertRows = preparedStatement<never>(
  'insert-alerts',
  (dialect) => `
  insert into alerts (${ALERT_COLUMNS}) select ${ALERT_COLUMNS} from ${dialect.rows(ALERT, 1)}`,
);

async function insertAlerts(trx: Trx, placed: readonly Placed[]): Promise<void> {
  const rows = placed.map(({ alert, mutedBy, noticeId }) => ({
    team_id: alert.teamId,
    id: newId(alert.raisedAt),
    raised_at: alert.raisedAt,
    level: alert.level,
    source: alert.source.kind,
    source_id: alert.source.id,
    source_name: alert.source.name,
    run_id: alert.runId,
    attempt_number: alert.attemptNumber,
    response_status: alert.responseStatus,
    reason: alert.reason,
    error_message: alert.errorMessage,
    failed_runs: alert.failedRuns,
    down_ms: alert.downMs,
    delivery: noticeId === null ? 'muted' : 'pending',
    muted_by: mutedBy?.name ?? null,
    notice_id: noticeId,
    window_id: mutedBy?.id ?? null,
    kind: alert.kind,
  }));
  await trx.rows(insertAlertRows, [packRows(ALERT, rows)]);
}
