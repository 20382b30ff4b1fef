import { sql } from 'kysely';
import { decideReminder } from '#domain/alert-reminder';
import { readAlertSettings } from '#domain/alert-settings';
import { endOfWindow, findMutingWindow } from '#domain/maintenance';
import type { Database, Trx } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { raiseAlerts } from './raise-alerts.ts';
import { readWindows } from './window-rows.ts';

/** The most crons of one round. */
const MOST_CRONS = 50;

/** Raises the reminders that are due. Each is raised once, on any number of nodes. */
export async function raiseReminders(db: Database, now: number): Promise<void> {
  const due = await db.read((reader) =>
    reader
      .selectFrom('crons as c')
      .innerJoin('teams as t', 't.id', 'c.team_id')
      .select(['c.team_id', 'c.id', 't.paused_at'])
      .where('t.deleted_at', 'is', null)
      .where('c.remind_at', '<=', now)
      .orderBy('c.remind_at')
      .limit(MOST_CRONS)
      .execute(),
  );
  for (const { team_id, id, paused_at } of due) {
    const cron = { teamId: team_id, cronId: id, isTeamPaused: paused_at !== null };
    await db.transact((trx) => remindOfCron(trx, db.dialect, cron, now));
  }
}

/**
 * Raises one cron's reminder. Locks the cron until the end of the transaction: of two nodes the second one sees that
 * the next reminder is later.
 */
async function remindOfCron(
  trx: Trx,
  dialect: Dialect,
  { teamId, cronId, isTeamPaused }: { teamId: string; cronId: string; isTeamPaused: boolean },
  now: number,
): Promise<void> {
  const row = await holdCron(trx, dialect, teamId, cronId);
  if (!row || row.remind_at === null || row.remind_at > now) return;
  const source = { kind: 'cron', id: cronId, name: row.name } as const;
  const window = findMutingWindow(await readWindows(trx, [teamId]), source, now);
  const settings = readAlertSettings(row.alert_settings);
  const { isTold, nextAt } = decideReminder({
    now,
    hours: settings.remindHours,
    isFailing: row.has_raised_failure === 1,
    isActive: row.is_active === 1 && row.next_run_at !== null && !isTeamPaused,
    mutedUntil: window && endOfWindow(window, now),
  });
  await trx
    .updateTable('crons')
    .set({ remind_at: nextAt })
    .where('team_id', '=', teamId)
    .where('id', '=', cronId)
    .execute();
  const last = isTold ? await findLastFailure(trx, teamId, cronId) : null;
  if (!last) return;
  const alert = {
    teamId,
    level: 'failure',
    source,
    runId: last.run_id,
    attemptNumber: null,
    raisedAt: now,
    responseStatus: last.response_status,
    reason: last.reason,
    errorMessage: last.error_message,
    failedRuns: row.failed_runs,
    downMs: wholeMinutes(now - (row.failing_since ?? now)),
    settings,
    kind: 'reminder',
  } as const;
  await raiseAlerts(trx, dialect, [alert]);
}

/** Rounds down: the seconds would only show how late the reminder was raised. */
function wholeMinutes(ms: number): number {
  return ms - (ms % 60_000);
}

async function holdCron(trx: Trx, dialect: Dialect, teamId: string, cronId: string) {
  return trx
    .selectFrom('crons')
    .select([
      'name',
      'is_active',
      'next_run_at',
      'has_raised_failure',
      'failed_runs',
      'failing_since',
    ])
    .select(['remind_at', 'alert_settings'])
    .where('team_id', '=', teamId)
    .where('id', '=', cronId)
    .modifyEnd(sql.raw(dialect.lock('for no key update')))
    .executeTakeFirst();
}

/** The last failure that was raised. The reminder links to the same run. */
async function findLastFailure(trx: Trx, teamId: string, cronId: string) {
  return trx
    .selectFrom('alerts')
    .select(['run_id', 'response_status', 'reason', 'error_message'])
    .where('team_id', '=', teamId)
    .where('source_id', '=', cronId)
    .where('level', '=', 'failure')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
