/** Reminders of failures that continue (§6.5). */
import { HOUR_MS } from '../base/instant.ts';
import type { RemindHours } from './alert-settings.ts';

export function nextReminder(notifiedAt: number, hours: RemindHours | null): number | null {
  return hours === null ? null : notifiedAt + hours * HOUR_MS;
}

export interface Reminding {
  now: number;
  hours: RemindHours | null;
  /**
   * A cron: its failure was raised and no run has succeeded since. A queue: it has failed jobs that were not resent.
   */
  isFailing: boolean;
  /** False if it is paused or, for a cron, has ended. */
  isActive: boolean;
  mutedUntil: number | null;
  /** When another failure was notified; null: none since the last reminder. */
  lastSentAt: number | null;
}

/**
 * A reminder waits for the end of a maintenance window, and the same number of hours after
 * another notified failure.
 */
export function decideReminder({
  now,
  hours,
  isFailing,
  isActive,
  mutedUntil,
  lastSentAt,
}: Reminding): { isSent: boolean; nextAt: number | null } {
  if (hours === null || !isFailing) return { isSent: false, nextAt: null };
  if (mutedUntil !== null) return { isSent: false, nextAt: mutedUntil };
  const afterLast = lastSentAt === null ? null : nextReminder(lastSentAt, hours);
  if (afterLast !== null && afterLast > now) return { isSent: false, nextAt: afterLast };
  return { isSent: isActive, nextAt: nextReminder(now, hours) };
}
