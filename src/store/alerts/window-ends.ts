import { nextReminder } from '#domain/alerts/alert-reminder';
import {
  type AlertSettings,
  readAlertSettings,
  REMIND_HOURS,
  resolveChannels,
} from '#domain/alerts/alert-settings';
import type { AlertLevel } from '#domain/alerts/alert-streak';
import { newId } from '#domain/base/ids';
import { endOfWindow, findMutingWindow, isInsideWindow, WEEK_MS } from '#domain/team/maintenance';
import { sql } from '../database/sql.ts';
import type { Database, Trx } from '../database/database.ts';
import { type NewGroup, insertNotifications, readKnownChannels } from './notification-rows.ts';
import { lockTeam } from '../database/lock-team.ts';
import { forEachUnlocked, limitLockWaits } from '../database/locked-teams.ts';
import { copyPausingWindows, readWindows, type StoredWindow } from './window-rows.ts';
import { above, all, change, first } from '../database/rows.ts';

/** Of one round, and of one notification. */
const MOST_WINDOWS = 50;
const MOST_CRONS = 500;

/**
 * One notification per window and channel for crons that began to fail inside it and still fail (§6.6). Marks the muted
 * alerts as pending, so each is sent once across nodes.
 * @returns whether there is a notification
 */
export async function notifyWindowEnds(db: Database, now: number): Promise<boolean> {
  const ended = await db.ask(sql<{ team_id: string; id: string }>`
    select w.team_id, w.id from maintenance_windows w join teams t on t.id = w.team_id
    where t.deleted_at is null and w.ends_at <= ${now} and (w.notified_until is null
      or (w.is_weekly = 0 and w.notified_until < w.ends_at)
      or (w.is_weekly = 1 and w.notified_until <= ${now - WEEK_MS}))
    limit ${MOST_WINDOWS}`);
  let isNotified = false;
  await forEachUnlocked(ended, async ({ team_id, id }) => {
    const isNew = await db.transact((trx) => notifyEnd(trx, team_id, id, now));
    isNotified ||= isNew;
  });
  return isNotified;
}

async function notifyEnd(
  trx: Trx,
  teamId: string,
  windowId: string,
  now: number,
): Promise<boolean> {
  await limitLockWaits(trx);
  await lockTeam(trx, teamId);
  const windows = await readWindows(trx, [teamId]);
  const window = windows.find(({ id }) => id === windowId);
  if (!window) return false;
  const key = { team_id: teamId, id: windowId };
  await change(trx, 'maintenance_windows', key, { notified_until: lastEndOf(window, now) });
  // A window that has ended for good would cost every claim of the team a transaction.
  if (window.pausesRuns) await copyPausingWindows(trx, teamId, now);
  return notifyStillFailing(trx, window, windows, now);
}

/** For a weekly window that is active, the end a week before its next one. */
function lastEndOf(window: StoredWindow, now: number): number {
  if (!window.isWeekly) return window.endsAt;
  const end = endOfWindow(window, now);
  return end <= now ? end : end - WEEK_MS;
}

/**
 * Leaves alerts that another window mutes now to its end.
 * @param windows all of the team
 */
export async function notifyStillFailing(
  trx: Trx,
  window: StoredWindow,
  windows: readonly StoredWindow[],
  now: number,
): Promise<boolean> {
  const { teamId } = window;
  const others = windows.filter(({ id }) => id !== window.id || isInsideWindow(window, now));
  const failing = await findFailing(trx, window);
  const stillFailing: StillFailing[] = [];
  for (const { id: cronId, failing_since, alert_settings } of failing) {
    if (findMutingWindow(others, { kind: 'cron', id: cronId }, now) !== null) continue;
    const last = await findLastAlert(trx, teamId, cronId);
    // A newer alert was sent, the streak is over, or there are no recipients.
    if (last?.delivery !== 'muted' || last.muted_by === null || last.level === 'usage') continue;
    if (last.raised_at < (failing_since ?? Infinity)) continue;
    const { id: alertId, level } = last;
    stillFailing.push({ cronId, alertId, level, settings: readAlertSettings(alert_settings) });
  }
  return insertTogether(trx, teamId, stillFailing, now);
}

interface StillFailing {
  cronId: string;
  alertId: string;
  level: AlertLevel;
  settings: AlertSettings;
}

/** Alerts with the same channels share a group. */
async function insertTogether(
  trx: Trx,
  teamId: string,
  stillFailing: readonly StillFailing[],
  now: number,
): Promise<boolean> {
  if (stillFailing.length === 0) return false;
  await postponeReminders(trx, teamId, stillFailing, now);
  const known = await readKnownChannels(trx, [teamId]);
  const ids = new Set(known.get(teamId)?.keys());
  const channelsOf = ({ settings, level }: StillFailing) =>
    resolveChannels(settings, level, ids).toSorted().join(' ');
  const groups = Map.groupBy(stillFailing, channelsOf);
  groups.delete('');
  const toInsert: NewGroup[] = [];
  for (const [channels, alerts] of groups) {
    const group = { teamId, id: newId(now), mailsMembers: false, dueAt: now };
    toInsert.push({ ...group, channels: channels.split(' '), alertCount: alerts.length });
    const key = { team_id: teamId, id: alerts.map(({ alertId }) => alertId) };
    await change(trx, 'alerts', key, { delivery: 'pending', notification_id: group.id });
  }
  // Each channel gets one message (§6.6).
  await insertNotifications(trx, toInsert, known, true);
  return groups.size > 0;
}

/** Otherwise a reminder could follow the notification of the window's end at once. */
async function postponeReminders(
  trx: Trx,
  teamId: string,
  stillFailing: readonly StillFailing[],
  now: number,
): Promise<void> {
  for (const hours of REMIND_HOURS) {
    const crons = stillFailing.filter(({ settings }) => settings.remindHours === hours);
    if (crons.length === 0) continue;
    const id = crons.map(({ cronId }) => cronId);
    const key = { team_id: teamId, id, has_raised_failure: 1 } as const;
    await change(trx, 'crons', key, { remind_at: nextReminder(now, hours) });
  }
}

async function findFailing(trx: Trx, { teamId, covers }: StoredWindow) {
  const ids =
    covers === 'team' ? undefined : covers.flatMap(({ kind, id }) => (kind === 'cron' ? [id] : []));
  const columns = ['id', 'failing_since', 'alert_settings'] as const;
  const choice = { columns, order: ['id'] as const, limit: MOST_CRONS };
  return all(trx, 'crons', { team_id: teamId, id: ids, failed_runs: above(0) }, choice);
}

async function findLastAlert(trx: Trx, teamId: string, cronId: string) {
  const where = [sql`(kind is null or kind not in ('slow', 'certificate'))`];
  const columns = ['id', 'raised_at', 'delivery', 'level', 'muted_by'] as const;
  const key = { team_id: teamId, source_id: cronId };
  return first(trx, 'alerts', key, { columns, where, order: ['id desc'] });
}
