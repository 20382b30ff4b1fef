import { sql } from 'kysely';
import { nextReminder } from '#domain/alert-reminder';
import {
  type AlertSettings,
  readAlertSettings,
  REMIND_HOURS,
  resolveChannels,
} from '#domain/alert-settings';
import type { AlertLevel } from '#domain/alert-streak';
import { newId } from '#domain/ids';
import { endOfWindow, findMutingWindow, isInsideWindow, WEEK_MS } from '#domain/maintenance';
import type { Database, Trx } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { type GroupToTell, insertNotices, readKnownChannels } from './notice-rows.ts';
import { readWindows, type StoredWindow } from './window-rows.ts';

/** Windows whose end is looked at in one go, and crons that one notice tells of. */
const MOST_WINDOWS = 50;
const MOST_CRONS = 500;

/**
 * Tells what began to fail inside a maintenance window that has ended and still fails: one notice a window and
 * channel (§6.6).
 * The muted alerts themselves are what is told, so none is told twice, whoever looks and how often.
 *
 * @returns whether there is something to send
 */
export async function tellWindowEnds(db: Database, now: number): Promise<boolean> {
  const ended = await db.read((reader) =>
    reader
      .selectFrom('maintenance_windows as w')
      .innerJoin('teams as t', 't.id', 'w.team_id')
      .select(['w.team_id', 'w.id'])
      .where('t.deleted_at', 'is', null)
      .where('w.ends_at', '<=', now)
      .where(
        sql<boolean>`(w.told_until is null or (w.is_weekly = 0 and w.told_until < w.ends_at)
          or (w.is_weekly = 1 and w.told_until <= ${now - WEEK_MS}))`,
      )
      .limit(MOST_WINDOWS)
      .execute(),
  );
  let isTold = false;
  for (const { team_id, id } of ended) {
    const told = await db.transact((trx) => tellEnd(trx, db.dialect, team_id, id, now));
    isTold ||= told;
  }
  return isTold;
}

/** Holds the window to the end of the transaction: of two nodes the second finds it told. */
async function tellEnd(
  trx: Trx,
  dialect: Dialect,
  teamId: string,
  windowId: string,
  now: number,
): Promise<boolean> {
  const windows = await readWindows(trx, [teamId]);
  const window = windows.find(({ id }) => id === windowId);
  if (!window) return false;
  await trx
    .updateTable('maintenance_windows')
    .set({ told_until: lastEndOf(window, now) })
    .where('team_id', '=', teamId)
    .where('id', '=', windowId)
    .execute();
  return tellWhatStillFails(trx, dialect, window, windows, now);
}

/** While a weekly window is under way again, the end of the time before. */
function lastEndOf(window: StoredWindow, now: number): number {
  if (!window.isWeekly) return window.endsAt;
  const end = endOfWindow(window, now);
  return end <= now ? end : end - WEEK_MS;
}

/**
 * @param windows  all of the team's: what another one mutes at this moment is told when that ends
 * @returns whether a notice was made
 */
export async function tellWhatStillFails(
  trx: Trx,
  dialect: Dialect,
  window: StoredWindow,
  windows: readonly StoredWindow[],
  now: number,
): Promise<boolean> {
  const { teamId } = window;
  const others = windows.filter(({ id }) => id !== window.id || isInsideWindow(window, now));
  const failing = await findFailing(trx, window);
  const toTell: ToTell[] = [];
  for (const { id: cronId, failing_since, alert_settings } of failing) {
    if (findMutingWindow(others, { kind: 'cron', id: cronId }, now) !== null) continue;
    const last = await findLastAlert(trx, teamId, cronId);
    // Told since, of a streak that is over, or of a cron that tells nobody of it.
    if (last?.delivery !== 'muted' || last.muted_by === null) continue;
    if (last.raised_at < (failing_since ?? Infinity)) continue;
    const { id: alertId, level } = last;
    toTell.push({ cronId, alertId, level, settings: readAlertSettings(alert_settings) });
  }
  return tellTogether(trx, dialect, teamId, toTell, now);
}

interface ToTell {
  cronId: string;
  alertId: string;
  level: AlertLevel;
  settings: AlertSettings;
}

/** Those that go to the same channels share a notice. */
async function tellTogether(
  trx: Trx,
  dialect: Dialect,
  teamId: string,
  toTell: readonly ToTell[],
  now: number,
): Promise<boolean> {
  if (toTell.length === 0) return false;
  await postponeReminders(trx, teamId, toTell, now);
  const known = await readKnownChannels(trx, [teamId]);
  const ids = new Set(known.get(teamId)?.keys());
  const channelsOf = ({ settings, level }: ToTell) =>
    resolveChannels(settings, level, ids).toSorted().join(' ');
  const groups = Map.groupBy(toTell, channelsOf);
  groups.delete('');
  const toInsert: GroupToTell[] = [];
  for (const [channels, alerts] of groups) {
    const group = { teamId, id: newId(now), kind: 'cron', dueAt: now } as const;
    const counted = { ...group, channels: channels.split(' '), alertCount: alerts.length };
    toInsert.push(counted);
    await trx
      .updateTable('alerts')
      .set({ delivery: 'pending', notice_id: group.id })
      .where('team_id', '=', teamId)
      .where(
        'id',
        'in',
        alerts.map(({ alertId }) => alertId),
      )
      .execute();
  }
  // Each channel hears of all of them as one (§6.6).
  await insertNotices(trx, dialect, toInsert, known, true);
  return groups.size > 0;
}

/** What is told now is not told again by a reminder that waited for the same end. */
async function postponeReminders(
  trx: Trx,
  teamId: string,
  toTell: readonly ToTell[],
  now: number,
): Promise<void> {
  for (const hours of REMIND_HOURS) {
    const crons = toTell.filter(({ settings }) => settings.remindHours === hours);
    if (crons.length === 0) continue;
    await trx
      .updateTable('crons')
      .set({ remind_at: nextReminder(now, hours) })
      .where('team_id', '=', teamId)
      .where(
        'id',
        'in',
        crons.map(({ cronId }) => cronId),
      )
      .where('has_raised_failure', '=', 1)
      .execute();
  }
}

/** The crons that the window covers and whose last runs failed. */
async function findFailing(trx: Trx, { teamId, covers }: StoredWindow) {
  const ids = covers === 'team' ? null : covers.filter(({ kind }) => kind === 'cron');
  if (ids?.length === 0) return [];
  return trx
    .selectFrom('crons')
    .select(['id', 'failing_since', 'alert_settings'])
    .where('team_id', '=', teamId)
    .where('failed_runs', '>', 0)
    .$if(ids !== null, (query) => query.where('id', 'in', ids?.map(({ id }) => id) ?? []))
    .orderBy('id')
    .limit(MOST_CRONS)
    .execute();
}

async function findLastAlert(trx: Trx, teamId: string, cronId: string) {
  return trx
    .selectFrom('alerts')
    .select(['id', 'raised_at', 'delivery', 'level', 'muted_by'])
    .where('team_id', '=', teamId)
    .where('source_id', '=', cronId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
