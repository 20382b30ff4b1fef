import { decideReminder, nextReminder } from '#domain/alerts/alert-reminder';
import { type AlertSettings, readAlertSettings } from '#domain/alerts/alert-settings';
import { HOUR_MS, MINUTE_MS } from '#domain/base/instant';
import { type AlertSource, endOfWindow, findMutingWindow } from '#domain/team/maintenance';
import { sql } from '../database/sql.ts';
import type { Context } from '../database/context.ts';
import type { Database, Trx } from '../database/database.ts';
import { addMissing, all, change, first, not, one, remove } from '../database/rows.ts';
import { firstKey } from '../lists/key-merge.ts';
import { rangesOf } from '../lists/ranges.ts';
import { forEachUnlocked, limitLockWaits } from '../database/locked-teams.ts';
import type { Row } from '../tables/tables.ts';
import { type AlertToRaise, raiseAlerts } from './raise-alerts.ts';
import { readWindows } from './window-rows.ts';

const MOST_OF_A_KIND = 50;

interface Due {
  team_id: string;
  id: string;
  paused_at: number | null;
  failing_since: number | null;
}

type Kind = AlertSource['kind'];

const FAILING = { cron: ['crons', 'id'], queue: ['failing_queues', 'queue_id'] } as const;

function findDue(kind: Kind, now: number) {
  const [table, id] = FAILING[kind];
  return sql<Due>`
    select f.team_id, f.${sql.raw(id)} as id, t.paused_at, f.failing_since
    from ${sql.raw(table)} f join teams t on t.id = f.team_id
    where t.deleted_at is null and f.remind_at <= ${now}
    order by f.remind_at limit ${MOST_OF_A_KIND}`;
}

/** Each reminder is raised once, across nodes (§6.5). */
export async function raiseReminders({ main: db }: Context, now: number): Promise<void> {
  const lockedTeams = new Set<string>();
  for (const kind of ['cron', 'queue'] as const) {
    const raise = async (due: Due) => {
      const last = await findFailure(db, kind, due);
      await db.transact((trx) => remind(trx, { kind, due, last, now }));
    };
    const due = await db.ask(findDue(kind, now));
    await forEachUnlocked(due, raise, lockedTeams);
  }
}

const FAILURE = ['response_status', 'reason', 'error_message', 'attempt_number'] as const;

async function findFailure(db: Database, kind: Kind, { team_id, id, failing_since }: Due) {
  if (kind === 'cron') {
    const key = { team_id, source_id: id, level: 'failure' } as const;
    const columns = ['run_id', ...FAILURE] as const;
    const last = await first(db, 'alerts', key, { columns, order: ['id desc'] });
    // Only usage alerts have no run.
    return last && { ...last, run_id: last.run_id ?? '' };
  }
  const failed = rangesOf({ tab: 'failed' }, { queueIds: [id] });
  const deadLetters = failed.filter(({ status }) => status === 'dead_lettered');
  const last = await firstKey(db, deadLetters, 'down', failing_since ?? 0);
  if (!last) return undefined;
  const key = { team_id, id: last.id, status: 'dead_lettered', completed_at: last.at } as const;
  const row = await one(db, 'ended_jobs', key, FAILURE);
  return row && { ...row, run_id: last.id };
}

type FailingQueue = Pick<Row<'queues'>, 'name' | 'is_paused' | 'email_alerts' | 'alert_settings'> &
  Pick<Row<'failing_queues'>, 'failing_since' | 'remind_at'>;

/** Undefined if it no longer exists. */
async function lockFailing(trx: Trx, kind: Kind, { team_id, id }: Due) {
  if (kind === 'cron') {
    const row = await one(trx, 'crons', { team_id, id }, undefined, 'for no key update');
    return (
      row && {
        ...row,
        isFailing: row.has_raised_failure === 1,
        isActive: row.is_active === 1 && row.next_run_at !== null,
        // A streak raises its failure once; all later alerts of it are reminders.
        lastSentAt: null,
      }
    );
  }
  const [row] = await trx.ask(sql<FailingQueue>`
    select q.name, q.is_paused, q.email_alerts, q.alert_settings, f.failing_since, f.remind_at
    from failing_queues f join queues q on q.team_id = f.team_id and q.id = f.queue_id
    where f.team_id = ${team_id} and f.queue_id = ${id}
    ${sql.raw(trx.dialect.lock('for update of f'))}`);
  if (!row) return undefined;
  const key = { team_id, source_id: id, level: 'failure', delivery: not('muted') } as const;
  // Alerts about the whole queue have no run.
  const where = [sql`run_id is not null`];
  const [sent] = await all(trx, 'alerts', key, { where, order: ['id desc'], limit: 1 });
  return {
    ...row,
    failed_runs: null,
    isFailing: row.email_alerts === 1,
    isActive: row.is_paused === 0,
    lastSentAt: sent?.raised_at ?? null,
  };
}

async function setReminder(trx: Trx, kind: Kind, { team_id, id }: Due, remind_at: number | null) {
  if (kind === 'cron') await change(trx, 'crons', { team_id, id }, { remind_at });
  else if (remind_at === null) await forgetFailing(trx, team_id, id);
  else await change(trx, 'failing_queues', { team_id, queue_id: id }, { remind_at });
}

interface Reminder {
  kind: Kind;
  due: Due;
  last: Awaited<ReturnType<typeof findFailure>>;
  now: number;
}

/** A second node waits for the lock, then sees a later reminder. */
async function remind(trx: Trx, { kind, due, last, now }: Reminder): Promise<void> {
  await limitLockWaits(trx);
  const locked = await lockFailing(trx, kind, due);
  // Its cron or queue is gone, or was changed meanwhile.
  if (!locked || locked.remind_at === null) return setReminder(trx, kind, due, null);
  if (locked.remind_at > now) return;
  const settings = readAlertSettings(locked.alert_settings);
  const source = { kind, id: due.id, name: locked.name };
  const window = findMutingWindow(await readWindows(trx, [due.team_id]), source, now);
  const { isSent, nextAt } = decideReminder({
    now,
    hours: settings.remindHours,
    isFailing: locked.isFailing && last !== undefined,
    isActive: locked.isActive && due.paused_at === null,
    mutedUntil: window && endOfWindow(window, now),
    lastSentAt: locked.lastSentAt,
  });
  await setReminder(trx, kind, due, nextAt);
  if (!isSent || !last) return;
  const downMs = now - (locked.failing_since ?? now);
  const row = {
    ...last,
    team_id: due.team_id,
    level: 'failure',
    raised_at: now,
    failed_runs: locked.failed_runs,
    // Whole minutes: the seconds would only show how late the reminder was raised.
    down_ms: downMs - (downMs % MINUTE_MS),
    kind: 'reminder',
  } as const;
  await raiseAlerts(trx, [{ source, settings, row }]);
}

export async function noteFailing(trx: Trx, failures: readonly AlertToRaise[]): Promise<void> {
  const first = new Map(failures.toReversed().map((alert) => [alert.source.id, alert]));
  // In one order, to prevent deadlocks.
  const inOrder = [...first].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const rows = inOrder.flatMap(([queue_id, { row, settings }]) => {
    const hours = settings.remindHours;
    const remind_at = nextReminder(row.raised_at, hours);
    if (hours === null || remind_at === null) return [];
    return [{ team_id: row.team_id, queue_id, failing_since: row.raised_at, remind_at, hours }];
  });
  if (rows.length > 0) await addMissing(trx, 'failing_queues', rows);
}

/** Counts the new interval from the same time. */
export async function changeReminders(
  trx: Trx,
  teamId: string,
  queueId: string,
  { remindHours: hours }: AlertSettings,
): Promise<void> {
  if (hours === null) return forgetFailing(trx, teamId, queueId);
  const remind_at = sql<number>`remind_at + (${hours} - hours) * ${HOUR_MS}`;
  const key = { team_id: teamId, queue_id: queueId };
  await change(trx, 'failing_queues', key, { remind_at, hours });
}

async function forgetFailing(trx: Trx, teamId: string, queueId: string): Promise<void> {
  await remove(trx, 'failing_queues', { team_id: teamId, queue_id: queueId });
}
