import { sql } from 'kysely';
import { nextReminder } from '#domain/alert-reminder';
import type { AlertSettings } from '#domain/alert-settings';
import { HOUR_MS } from '#domain/instant';
import type { Trx } from '../database/database.ts';
import { addMissing, change, remove } from '../database/rows.ts';
import type { AlertToRaise } from './raise-alerts.ts';

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
  const remind_at = sql<number>`remind_at + (${hours} - hours) * ${sql.lit(HOUR_MS)}`;
  const key = { team_id: teamId, queue_id: queueId };
  await change(trx, 'failing_queues', key, { remind_at, hours });
}

export async function forgetFailing(trx: Trx, teamId: string, queueId: string): Promise<void> {
  await remove(trx, 'failing_queues', { team_id: teamId, queue_id: queueId });
}
