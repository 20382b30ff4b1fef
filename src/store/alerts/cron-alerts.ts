import { failedInARow } from '#domain/alerts/alert-words';
import { nextReminder } from '#domain/alerts/alert-reminder';
import { readAlertSettings } from '#domain/alerts/alert-settings';
import { followRun, type Streak } from '#domain/alerts/alert-streak';
import type { Trx } from '../database/database.ts';
import { type Fields, packRows, SOURCES } from '../database/dialect.ts';
import { preparedStatement, updateEach } from '../database/prepared.ts';
import { change } from '../database/rows.ts';
import { recordBySystem } from '../activity/activity.ts';
import { type AlertToRaise, type Outcome, rowOfRun, raiseAlerts } from './raise-alerts.ts';
import type { ClaimedExecution } from '../runs/claims.ts';
import type { Settlement } from '../runs/settlement.ts';
import type { Row } from '../tables/tables.ts';

export interface SettledRun extends Pick<Settlement, 'status'> {
  run: Pick<ClaimedExecution, 'teamId' | 'cronId' | 'id'>;
  end: Outcome;
}

const COLUMNS = [
  'team_id',
  'id',
  'name',
  'alert_threshold',
  'stop_after',
  'is_active',
  'failed_runs',
  'failing_since',
  'has_raised_failure',
  'alert_settings',
  'remind_at',
] as const;
type StreakRow = Pick<Row<'crons'>, (typeof COLUMNS)[number]>;

/** In one order, to prevent deadlocks. */
const lockStreaks = preparedStatement<StreakRow>(
  'lock-streaks',
  (dialect) => `
  select ${COLUMNS.map((name) => `c.${name}`).join(', ')}
  from ${dialect.rows(SOURCES, 1)} cross join crons c
  where c.team_id = given.team_id and c.id = given.source_id
  order by c.id ${dialect.lock('for no key update of c')}`,
);

const STREAK = {
  team_id: 'id',
  id: 'id',
  failed_runs: 'int',
  failing_since: 'bigint',
  has_raised_failure: 'int',
  remind_at: 'bigint',
} as const satisfies Fields;

const writeStreaks = updateEach('write-streaks', 'crons', STREAK);

/**
 * Rows stay locked, so settlements and streaks have the same order on all nodes.
 * @returns whether any alert was raised
 */
export async function followCrons(trx: Trx, runs: readonly SettledRun[]): Promise<boolean> {
  if (runs.length === 0) return false;
  const byCron = Map.groupBy(runs, ({ run }) => run.cronId);
  const asked = [...byCron].map(([source_id, [first]]) => {
    return { team_id: first?.run.teamId ?? '', source_id };
  });
  const rows = await trx.rows(lockStreaks, [packRows(SOURCES, asked)]);
  const followed = rows.map((row) => follow(row, byCron.get(row.id) ?? []));
  const changed = followed.flatMap(({ changed }) => changed ?? []);
  if (changed.length > 0) await trx.rows(writeStreaks, [packRows(STREAK, changed)]);
  for (const { stopped } of followed) if (stopped) await stop(trx, stopped);
  const alerts = followed.flatMap(({ alerts }) => alerts);
  await raiseAlerts(trx, alerts);
  return alerts.length > 0;
}

interface Stopped {
  row: StreakRow;
  failedRuns: number;
  at: number;
}

/** Its runs under way go on, as with any pause. */
async function stop(trx: Trx, { row, failedRuns, at }: Stopped): Promise<void> {
  const { team_id, id, name } = row;
  const paused = { is_active: 0, next_run_at: null, stopped_after: failedRuns } as const;
  await change(trx, 'crons', { team_id, id }, paused);
  const detail = `after ${failedInARow(failedRuns)}`;
  const entry = { action: 'cron.stopped', subject: { id, name }, detail } as const;
  await recordBySystem(trx, team_id, entry, at);
}

function follow(row: StreakRow, runs: readonly SettledRun[]) {
  const { team_id, id, name, alert_settings } = row;
  const rule = { threshold: row.alert_threshold, stopAfter: row.stop_after };
  const settings = readAlertSettings(alert_settings);
  const source = { kind: 'cron' as const, id, name };
  let streak: Streak = {
    failedRuns: row.failed_runs,
    failingSince: row.failing_since,
    hasRaisedFailure: row.has_raised_failure === 1,
  };
  let { remind_at } = row;
  const alerts: AlertToRaise[] = [];
  let stopped: Stopped | null = null;
  for (const { run, status, end } of runs) {
    const { completedAt } = end;
    const isSuccess = status === 'success';
    const isActive = row.is_active === 1 && stopped === null;
    const step = followRun(streak, { ...rule, isActive }, { isSuccess, completedAt });
    ({ streak } = step);
    if (step.isStopped) stopped = { row, failedRuns: streak.failedRuns, at: completedAt };
    if (step.alert) {
      const { level, failedRuns: failed_runs, downMs: down_ms } = step.alert;
      const kind = step.isStopped ? ('stopped' as const) : null;
      const facts = { level, failed_runs, down_ms, kind };
      alerts.push({ source, settings, row: { ...rowOfRun(run, end), ...facts } });
    }
    if (!streak.hasRaisedFailure) remind_at = null;
    else if (step.alert) remind_at = nextReminder(completedAt, settings.remindHours);
  }
  const now = {
    failed_runs: streak.failedRuns,
    failing_since: streak.failingSince,
    has_raised_failure: streak.hasRaisedFailure ? (1 as const) : (0 as const),
    remind_at,
  };
  const hasChanged = Object.entries(now).some(
    ([name, value]) => row[name as keyof typeof now] !== value,
  );
  return { alerts, stopped, changed: hasChanged ? { team_id, id, ...now } : null };
}
