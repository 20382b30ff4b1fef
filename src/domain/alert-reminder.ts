/** When a team is reminded that a cron or queue still fails (§6.5). */
import type { RemindHours } from './alert-settings.ts';

const HOUR_MS = 3_600_000;

/** When the next reminder is due after a notice at `toldAt`; null if reminders are off. */
export function nextReminder(toldAt: number, hours: RemindHours | null): number | null {
  return hours === null ? null : toldAt + hours * HOUR_MS;
}

export interface Reminding {
  now: number;
  hours: RemindHours | null;
  /**
   * Of a cron: its failure was raised and no run has succeeded since. Of a queue: there are failed jobs that were not
   * resent.
   */
  isFailing: boolean;
  /** False while it is paused or, of a cron, once it has ended: then no reminder is sent. */
  isActive: boolean;
  /** The end of the maintenance window that mutes it now; null without one. */
  mutedUntil: number | null;
  /** When another failure of it was notified; null: none since the last reminder. */
  lastToldAt: number | null;
}

/**
 * Decides whether a due reminder is sent, and when the next one is due. Inside a maintenance window it waits for the
 * window's end; after another notified failure it waits the same number of hours again.
 */
export function decideReminder({
  now,
  hours,
  isFailing,
  isActive,
  mutedUntil,
  lastToldAt,
}: Reminding): { isTold: boolean; nextAt: number | null } {
  if (hours === null || !isFailing) return { isTold: false, nextAt: null };
  if (mutedUntil !== null) return { isTold: false, nextAt: mutedUntil };
  const afterTold = lastToldAt === null ? null : nextReminder(lastToldAt, hours);
  if (afterTold !== null && afterTold > now) return { isTold: false, nextAt: afterTold };
  return { isTold: isActive, nextAt: nextReminder(now, hours) };
}
