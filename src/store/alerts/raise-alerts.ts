import { type Burst, findGathering, NO_BURST, openNotification } from '#domain/alerts/alert-burst';
import {
  type AlertSettings,
  type ChannelRef,
  readAlertSettings,
  resolveChannels,
} from '#domain/alerts/alert-settings';
import { isAside } from '#domain/alerts/alert-words';
import { newId } from '#domain/base/ids';
import { type AlertSource, findMutingWindow } from '#domain/team/maintenance';
import { sql } from '../database/sql.ts';
import type { Trx } from '../database/database.ts';
import { add, addMissing, change, one } from '../database/rows.ts';
import type { ClaimedExecution, ClaimedJob } from '../runs/claims.ts';
import type { RunEnd } from '../runs/settlement.ts';
import type { Row } from '../tables/tables.ts';
import type { AlertRow, RunAlertRow } from './alerts.ts';
import {
  type NewGroup,
  lockGroup,
  insertNotifications,
  readKnownChannels,
  hasRecipients,
} from './notification-rows.ts';
import { readWindows, type StoredWindow } from './window-rows.ts';

export interface AlertToRaise {
  source: AlertSource & { name: string };
  settings: AlertSettings;
  /** `raised_at`: when the run was completed. Maintenance windows are compared with this time. */
  row: Pick<RunAlertRow, 'team_id' | 'level' | 'run_id' | 'raised_at'> & Partial<AlertRow>;
}

export type Outcome = Pick<RunEnd, 'completedAt' | 'responseStatus' | 'reason' | 'errorMessage'>;

/** The columns of an alert that describe its run. */
export function rowOfRun(
  run: { teamId: string; id: string; attemptNumber?: number },
  end: Outcome,
) {
  return {
    team_id: run.teamId,
    run_id: run.id,
    attempt_number: run.attemptNumber ?? null,
    raised_at: end.completedAt,
    response_status: end.responseStatus,
    reason: end.reason,
    error_message: end.errorMessage,
  };
}

export function sourceOf(run: ClaimedJob | ClaimedExecution): AlertSource {
  return run.kind === 'job' ? { kind: 'queue', id: run.queueId } : { kind: 'cron', id: run.cronId };
}

/** Prevents a deletion meanwhile, so no state of a source outlives it. Undefined: it was deleted. */
export async function lockSource(trx: Trx, teamId: string, { kind, id }: AlertSource) {
  const key = { team_id: teamId, id };
  const columns = ['name', 'alert_settings', 'slow_seconds'] as const;
  const row = await one(trx, `${kind}s`, key, columns, 'for key share');
  return (
    row && {
      source: { kind, id, name: row.name },
      settings: readAlertSettings(row.alert_settings),
      slowSeconds: row.slow_seconds,
    }
  );
}

interface Placed {
  alert: AlertToRaise;
  mutedBy: StoredWindow | null;
  channels: readonly ChannelRef[];
  notificationId: string | null;
}

/**
 * In the transaction of the settlements (§6.5, §6.6). Alerts in a maintenance window are muted. Alerts of a queue's
 * burst share a group.
 */
export async function raiseAlerts(trx: Trx, alerts: readonly AlertToRaise[]): Promise<void> {
  if (alerts.length === 0) return;
  const teamIds = [...new Set(alerts.map(({ row }) => row.team_id))];
  const windows = await readWindows(trx, teamIds);
  const byTeam = Map.groupBy(windows, ({ teamId }) => teamId);
  const known = await readKnownChannels(trx, teamIds);
  const placed = alerts.map((alert): Placed => {
    const { source, settings, row } = alert;
    const mutedBy = findMutingWindow(byTeam.get(row.team_id) ?? [], source, row.raised_at);
    const ids = new Set(known.get(row.team_id)?.keys());
    return {
      alert,
      mutedBy,
      channels: resolveChannels(settings, row.level, ids),
      notificationId: null,
    };
  });
  const groups = await placeInNotifications(trx, placed);
  await insertNotifications(trx, groups, known);
  await insertAlerts(trx, placed);
}

async function placeInNotifications(trx: Trx, placed: readonly Placed[]): Promise<NewGroup[]> {
  const sent = placed.filter(
    ({ alert, mutedBy, channels }) =>
      mutedBy === null && hasRecipients(mailsMembers(alert), channels),
  );
  const groups = Map.groupBy(sent, ({ alert }) => groupOf(alert));
  const notifications: NewGroup[] = [];
  // In one order, to prevent deadlocks.
  for (const key of [...groups.keys()].toSorted()) {
    const group = groups.get(key) ?? [];
    const [first] = group;
    if (!first) continue;
    const at = first.alert.row.raised_at;
    const notification = comesInBursts(first.alert)
      ? await placeBurst(trx, group)
      : newNotification(first, newId(at), 1, at);
    if (typeof notification !== 'string') notifications.push(notification);
    const notificationId = typeof notification === 'string' ? notification : notification.id;
    for (const each of group) each.notificationId = notificationId;
  }
  return notifications;
}

function mailsMembers({ source, row }: AlertToRaise): boolean {
  return source.kind === 'queue' && !isAside(row.kind ?? null);
}

function comesInBursts({ source, row }: AlertToRaise): boolean {
  return source.kind === 'queue' && (row.kind ?? null) === null;
}

/** Only alerts of failing jobs share a group: a streak raises few alerts, and each has other content. */
function groupOf(alert: AlertToRaise): string {
  const { team_id, level, run_id, kind } = alert.row;
  return `${team_id} ${alert.source.id} ${comesInBursts(alert) ? level : `${run_id} ${kind}`}`;
}

function newNotification(
  { alert, channels }: Placed,
  id: string,
  alertCount: number,
  dueAt: number,
): NewGroup {
  const teamId = alert.row.team_id;
  return { teamId, id, mailsMembers: mailsMembers(alert), channels, alertCount, dueAt };
}

async function placeBurst(trx: Trx, group: readonly Placed[]): Promise<NewGroup | string> {
  const last = group.at(-1);
  if (!last) throw new Error('a group has alerts');
  const { row, source } = last.alert;
  const key = { team_id: row.team_id, queue_id: source.id, level: row.level };
  const burst = await lockBurst(trx, key);
  const gathering = findGathering(burst, row.raised_at);
  const join = { teamId: row.team_id, groupId: gathering ?? '', more: group.length };
  if (gathering !== null && (await joinNotifications(trx, join))) return gathering;
  const notificationId = newId(row.raised_at);
  const opened = openNotification(burst, notificationId, row.raised_at);
  await change(trx, 'alert_bursts', key, {
    quiet_until: opened.burst.quietUntil,
    gathering_notification_id: opened.burst.gathering?.notificationId ?? null,
    gathering_until: opened.burst.gathering?.until ?? null,
  });
  return newNotification(last, notificationId, group.length, opened.dueAt);
}

/** Locked, so two nodes don't both open a group. */
async function lockBurst(
  trx: Trx,
  key: Pick<Row<'alert_bursts'>, 'team_id' | 'queue_id' | 'level'>,
): Promise<Burst> {
  await addMissing(trx, 'alert_bursts', { ...key, quiet_until: NO_BURST.quietUntil });
  const row = await one(trx, 'alert_bursts', key, undefined, 'for update');
  const notificationId = row?.gathering_notification_id ?? null;
  const gathering =
    notificationId === null ? null : { notificationId, until: row?.gathering_until ?? 0 };
  return { quietUntil: row?.quiet_until ?? NO_BURST.quietUntil, gathering };
}

/** False if one of the notifications has been claimed, or all are gone. */
async function joinNotifications(
  trx: Trx,
  { teamId, groupId, more }: { teamId: string; groupId: string; more: number },
): Promise<boolean> {
  const notifications = await lockGroup(trx, teamId, groupId);
  if (notifications.length === 0 || notifications.some(({ claim_id }) => claim_id !== null))
    return false;
  const key = { team_id: teamId, id: notifications.map(({ id }) => id) };
  await change(trx, 'notifications', key, { alert_count: sql`alert_count + ${more}` });
  return true;
}

async function insertAlerts(trx: Trx, placed: readonly Placed[]): Promise<void> {
  const rows = placed.map(({ alert: { row, source }, mutedBy, notificationId }) => ({
    ...row,
    id: newId(row.raised_at),
    source: source.kind,
    source_id: source.id,
    source_name: source.name,
    delivery: notificationId === null ? ('muted' as const) : ('pending' as const),
    muted_by: mutedBy?.name ?? null,
    notification_id: notificationId,
    window_id: mutedBy?.id ?? null,
  }));
  await add(trx, 'alerts', rows);
}
