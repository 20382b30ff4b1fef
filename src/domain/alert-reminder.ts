/** When a team is reminded that a cron still fails (§6.5). */
import type { RemindHours } from './alert-settings.ts';

const HOUR_MS = 3_600_000;

/** When the next reminder is due after a notice at `toldAt`; null if reminders are off. */
export function nextReminder(toldAt: number, hours: RemindHours | null): number | null {
  return hours === null ? null : toldAt + hours * HOUR_MS;
}

export interface Reminding {
  now: number;
  hours: RemindHours | null;
  /** Whether its failure was raised and no run has succeeded since. */
  isFailing: boolean;
  /** False while the cron is paused or once it has ended: such a cron sends no reminder. */
  isActive: boolean;
  /** The end of the maintenance window that mutes the cron now; null without one. */
  mutedUntil: number | null;
}

/**
 * Decides whether a due reminder is sent, and when the next one is due. Inside a maintenance window it waits for the
 * window's end.
 */
export function decideReminder({ now, hours, isFailing, isActive, mutedUntil }: Reminding): {
  isTold: boolean;
  nextAt: number | null;
} {
  if (hours === null || !isFailing) return { isTold: false, nextAt: null };
  if (mutedUntil !== null) return { isTold: false, nextAt: mutedUntil };
  return { isTold: isActive, nextAt: nextReminder(now, hours) };
}
