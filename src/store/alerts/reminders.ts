import { sql } from 'kysely';
import { decideReminder } from '#domain/alert-reminder';
import { readAlertSettings } from '#domain/alert-settings';
import { endOfWindow, findMutingWindow } from '#domain/maintenance';
import type { Database, Trx } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { raiseAlerts } from './raise-alerts.ts';
import { readWindows } from './window-rows.ts';

/** Crons that are looked at in one go. */
const MOST_CRONS = 50;

/** Raises the reminders that are due: each once, on however many nodes. */
export async function raiseReminders(db: Database, now: number): Promise<void> {
  const due = await db.read((reader) =>
    reader
      .selectFrom('crons as c')
      .innerJoin('teams as t', 't.id', 'c.team_id')
      .select(['c.team_id', 'c.id'])
      .where('t.deleted_at', 'is', null)
      .where('c.remind_at', '<=', now)
      .orderBy('c.remind_at')
      .limit(MOST_CRONS)
      .execute(),
  );
  for (const { team_id, id } of due) {
    await db.transact((trx) => remindOfCron(trx, db.dialect, team_id, id, now));
  }
}

/** Holds the cron to the end of the transaction: of two nodes the second finds its next time. */
async function remindOfCron(
  trx: Trx,
  dialect: Dialect,
  teamId: string,
  cronId: string,
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
    isActive: row.is_active === 1,
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

/** Nobody reads the seconds that it took until somebody looked. */
function wholeMinutes(ms: number): number {
  return ms - (ms % 60_000);
}

async function holdCron(trx: Trx, dialect: Dialect, teamId: string, cronId: string) {
  return trx
    .selectFrom('crons')
    .select(['name', 'is_active', 'has_raised_failure', 'failed_runs', 'failing_since'])
    .select(['remind_at', 'alert_settings'])
    .where('team_id', '=', teamId)
    .where('id', '=', cronId)
    .modifyEnd(sql.raw(dialect.lock('for no key update')))
    .executeTakeFirst();
}

/** What was told of it before: the reminder leads to the same run. */
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
