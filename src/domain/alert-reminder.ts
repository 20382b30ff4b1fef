/** When somebody is reminded that a cron goes on failing (§6.5). */
import type { RemindHours } from './alert-settings.ts';

const HOUR_MS = 3_600_000;

/** The next reminder after something was told; null: there is none. */
export function nextReminder(toldAt: number, hours: RemindHours | null): number | null {
  return hours === null ? null : toldAt + hours * HOUR_MS;
}

export interface Reminding {
  now: number;
  hours: RemindHours | null;
  /** Whether its failure was raised, and no success has come since. */
  isFailing: boolean;
  /** A paused cron does not go on failing. */
  isActive: boolean;
  /** The end of the maintenance window that mutes it now; null without one. */
  mutedUntil: number | null;
}

/** What a reminder that is due comes to. Inside a maintenance window it waits for the end. */
export function decideReminder({ now, hours, isFailing, isActive, mutedUntil }: Reminding): {
  isTold: boolean;
  nextAt: number | null;
} {
  if (hours === null || !isFailing) return { isTold: false, nextAt: null };
  if (mutedUntil !== null) return { isTold: false, nextAt: mutedUntil };
  return { isTold: isActive, nextAt: nextReminder(now, hours) };
}
