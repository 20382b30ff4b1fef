import { nextReminder } from '#domain/alert-reminder';
import { type AlertSettings, readAlertSettings } from '#domain/alert-settings';
import { followRun, type Streak, type StreakAlert } from '#domain/alert-streak';
import type { Trx } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import { type AlertToRaise, raiseAlerts } from './raise-alerts.ts';
import type { RunEnd } from '../runs/settlement.ts';

/** The facts of a cron's settled run that its streak of failures depends on. */
export interface SettledRun {
  teamId: string;
  cronId: string;
  executionId: string;
  isSuccess: boolean;
  end: Pick<RunEnd, 'completedAt' | 'responseStatus' | 'reason' | 'errorMessage'>;
}

interface StreakRow {
  team_id: string;
  id: string;
  name: string;
  alert_threshold: number | null;
  failed_runs: number;
  failing_since: number | null;
  has_raised_failure: 0 | 1;
  alert_settings: string | null;
  remind_at: number | null;
}

const CRON = { team_id: 'id', cron_id: 'id' } as const satisfies Fields;

/** Locks the crons in one order, so that two nodes that settle runs of the same crons cannot deadlock. */
const lockStreaks = preparedStatement<StreakRow>(
  'lock-streaks',
  (dialect) => `
  select c.team_id, c.id, c.name, c.alert_threshold, c.failed_runs, c.failing_since,
    c.has_raised_failure, c.alert_settings, c.remind_at
  from ${dialect.rows(CRON, 1)} cross join crons c
  where c.team_id = given.team_id and c.id = given.cron_id
  order by c.id ${dialect.lock('for no key update of c')}`,
);

const STREAK = {
  team_id: 'id',
  cron_id: 'id',
  failed_runs: 'int',
  failing_since: 'bigint',
  has_raised_failure: 'int',
  remind_at: 'bigint',
} as const satisfies Fields;

const writeStreaks = preparedStatement<never>(
  'write-streaks',
  (dialect) => `
  update crons set failed_runs = given.failed_runs, failing_since = given.failing_since,
    has_raised_failure = given.has_raised_failure, remind_at = given.remind_at
  from ${dialect.rows(STREAK, 1)}
  where crons.team_id = given.team_id and crons.id = given.cron_id`,
);

/**
 * Updates the streaks of crons by runs that this transaction has just settled, in the given order, and raises the
 * alerts that follow. The crons' rows are locked until the end of the transaction, so settlements and streaks have the
 * same order on any number of nodes.
 *
 * @returns whether any alert was raised
 */
export async function followCrons(trx: Trx, runs: readonly SettledRun[]): Promise<boolean> {
  if (runs.length === 0) return false;
  const wanted = new Map(runs.map((run) => [run.cronId, run]));
  const asked = [...wanted.values()].map(({ teamId, cronId }) => ({
    team_id: teamId,
    cron_id: cronId,
  }));
  const rows = await trx.rows(lockStreaks, [packRows(CRON, asked)]);
  const byCron = Map.groupBy(runs, ({ cronId }) => cronId);
  const followed = rows.map((row) => followOne(row, byCron.get(row.id) ?? []));
  const changed = followed.filter(({ hasChanged }) => hasChanged);
  if (changed.length > 0) {
    await trx.rows(writeStreaks, [packRows(STREAK, changed.map(streakRow))]);
  }
  const alerts = followed.flatMap(({ alerts }) => alerts);
  await raiseAlerts(trx, alerts);
  return alerts.length > 0;
}

function followOne(row: StreakRow, runs: readonly SettledRun[]) {
  const before: Streak = {
    failedRuns: row.failed_runs,
    failingSince: row.failing_since,
    hasRaisedFailure: row.has_raised_failure === 1,
  };
  const settings = readAlertSettings(row.alert_settings);
  let streak = before;
  let remindAt = row.remind_at;
  const alerts: AlertToRaise[] = [];
  for (const run of runs) {
    const { completedAt } = run.end;
    const step = followRun(streak, row.alert_threshold, { isSuccess: run.isSuccess, completedAt });
    ({ streak } = step);
    if (step.alert) alerts.push(cronAlert(row, run, step.alert, settings));
    if (!streak.hasRaisedFailure) remindAt = null;
    else if (step.alert) remindAt = nextReminder(completedAt, settings.remindHours);
  }
  const hasChanged = runs.length > 0 && (remindAt !== row.remind_at || !isSame(before, streak));
  return { row, streak, remindAt, alerts, hasChanged };
}

function isSame(a: Streak, b: Streak): boolean {
  return (
    a.failedRuns === b.failedRuns &&
    a.failingSince === b.failingSince &&
    a.hasRaisedFailure === b.hasRaisedFailure
  );
}

function streakRow({
  row,
  streak,
  remindAt,
}: {
  row: StreakRow;
  streak: Streak;
  remindAt: number | null;
}) {
  return {
    team_id: row.team_id,
    cron_id: row.id,
    failed_runs: streak.failedRuns,
    failing_since: streak.failingSince,
    has_raised_failure: streak.hasRaisedFailure ? 1 : 0,
    remind_at: remindAt,
  };
}

function cronAlert(
  row: StreakRow,
  run: SettledRun,
  alert: StreakAlert,
  settings: AlertSettings,
): AlertToRaise {
  return {
    teamId: run.teamId,
    level: alert.level,
    source: { kind: 'cron', id: row.id, name: row.name },
    runId: run.executionId,
    attemptNumber: null,
    raisedAt: run.end.completedAt,
    responseStatus: run.end.responseStatus,
    reason: run.end.reason,
    errorMessage: run.end.errorMessage,
    failedRuns: alert.failedRuns,
    downMs: alert.downMs,
    settings,
    kind: null,
  };
}
