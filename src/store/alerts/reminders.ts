import { decideReminder } from '#domain/alert-reminder';
import type { AlertSettings } from '#domain/alert-settings';
import type { FailureReason } from '#domain/failure';
import { type AlertSource, endOfWindow, findMutingWindow } from '#domain/maintenance';
import type { Database, Trx } from '../database/database.ts';
import { CRON_REMINDERS } from './cron-reminders.ts';
import { QUEUE_REMINDERS } from './queue-reminders.ts';
import { raiseAlerts } from './raise-alerts.ts';
import { besideHeldTeams, waitBriefly } from '../runs/held-rows.ts';
import { readWindows } from './window-rows.ts';

/** The most crons, and the most queues, of one round. */
const MOST_OF_A_KIND = 50;

/** A cron or queue whose reminder is due. */
export interface DueReminder {
  team_id: string;
  id: string;
  /** Since when its team is paused. */
  paused_at: number | null;
  failing_since: number | null;
}

/** The failure that its reminder reports. */
export interface LastFailure {
  run_id: string;
  response_status: number | null;
  reason: FailureReason | null;
  error_message: string | null;
  attempt_number: number | null;
}

/** A cron or queue, locked. */
export interface Reminded {
  name: string;
  settings: AlertSettings;
  isFailing: boolean;
  isActive: boolean;
  failingSince: number | null;
  failedRuns: number | null;
  remindAt: number;
  /** When a failure was last sent, if that may be later than the last reminder. */
  lastToldAt: number | null;
}

/** The differences between crons and queues. */
export interface RemindedKind {
  kind: AlertSource['kind'];
  findDue: (db: Database, now: number, most: number) => Promise<DueReminder[]>;
  findFailure: (db: Database, due: DueReminder) => Promise<LastFailure | null>;
  /** Locks it until the end of the transaction; null if it no longer exists or has no reminder due. */
  lock: (trx: Trx, due: DueReminder) => Promise<Reminded | null>;
  /** @param remindAt  when the next reminder is due; null: none is to come */
  write: (trx: Trx, due: DueReminder, remindAt: number | null) => Promise<void>;
}

/**
 * Raises the reminders that are due. Each is raised once, on any number of nodes.
 */
export async function raiseReminders(db: Database, now: number): Promise<void> {
  const heldTeams = new Set<string>();
  for (const kind of [CRON_REMINDERS, QUEUE_REMINDERS]) {
    const raise = async (due: DueReminder) => {
      const last = await kind.findFailure(db, due);
      await db.transact((trx) => remind(trx, { kind, due, last, now }));
    };
    await besideHeldTeams(await kind.findDue(db, now, MOST_OF_A_KIND), raise, heldTeams);
  }
}

interface Reminder {
  kind: RemindedKind;
  due: DueReminder;
  last: LastFailure | null;
  now: number;
}

/**
 * Raises one reminder. Of two nodes the second one waits for the lock and then sees that the next reminder is later.
 */
async function remind(trx: Trx, { kind, due, last, now }: Reminder): Promise<void> {
  await waitBriefly(trx);
  const locked = await kind.lock(trx, due);
  // Its cron or queue is gone.
  if (!locked) return kind.write(trx, due, null);
  if (locked.remindAt > now) return;
  const { name, settings, failingSince, failedRuns } = locked;
  const source = { kind: kind.kind, id: due.id, name };
  const window = findMutingWindow(await readWindows(trx, [due.team_id]), source, now);
  const { isTold, nextAt } = decideReminder({
    now,
    hours: settings.remindHours,
    isFailing: locked.isFailing && last !== null,
    isActive: locked.isActive && due.paused_at === null,
    mutedUntil: window && endOfWindow(window, now),
    lastToldAt: locked.lastToldAt,
  });
  await kind.write(trx, due, nextAt);
  if (!isTold || !last) return;
  const alert = {
    teamId: due.team_id,
    level: 'failure',
    source,
    runId: last.run_id,
    attemptNumber: last.attempt_number,
    raisedAt: now,
    responseStatus: last.response_status,
    reason: last.reason,
    errorMessage: last.error_message,
    failedRuns,
    downMs: wholeMinutes(now - (failingSince ?? now)),
    settings,
    kind: 'reminder',
  } as const;
  await raiseAlerts(trx, [alert]);
}

/** Rounds down: the seconds would only show how late the reminder was raised. */
function wholeMinutes(ms: number): number {
  return ms - (ms % 60_000);
}
