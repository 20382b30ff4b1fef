/** When a cron's runs raise alerts (§6.4, §6.5). */

export type AlertLevel = 'warning' | 'failure' | 'recovery';

/** The state of a cron: how many settled runs have failed since the last success. */
export interface Streak {
  /** Consecutive failed runs, in the order in which their outcomes were settled. */
  failedRuns: number;
  /** When the first of them was completed, in milliseconds since 1970 UTC; null if there are none. */
  failingSince: number | null;
  /** Whether the streak's one Failure has been raised. */
  hasRaisedFailure: boolean;
}

export const NO_STREAK: Streak = { failedRuns: 0, failingSince: null, hasRaisedFailure: false };

export interface StreakAlert {
  level: AlertLevel;
  /** The number of failed runs in the streak, including this one; for a recovery, of the streak that it ends. */
  failedRuns: number;
  /** For a recovery: from the end of the first failed run to the end of this run, in milliseconds. */
  downMs: number | null;
}

/** Counting stops here: larger numbers are of no use, and the column can hold this one. */
const MOST_COUNTED = 1_000_000;

/**
 * Updates a cron's streak with one settled run. Run now counts like any other run. Runs that the monthly limit stopped
 * are not passed in here, so they neither count nor end a streak.
 *
 * Runs may overlap: they count in the order in which they are settled. "An alert" means a Failure, as in §2.1 ("alert
 * after that many consecutive failed runs"): a warning alone is not followed by a recovery. A changed threshold applies
 * from the next run on. Lowering it raises no alert, and raising it does not make a streak fail twice.
 *
 * @param threshold null if alerts are off; the streak is then reset
 */
export function followRun(
  streak: Streak,
  threshold: number | null,
  run: { isSuccess: boolean; completedAt: number },
): { streak: Streak; alert: StreakAlert | null } {
  if (threshold === null) return { streak: NO_STREAK, alert: null };
  if (run.isSuccess) return { streak: NO_STREAK, alert: recoveryOf(streak, run.completedAt) };
  const failedRuns = Math.min(streak.failedRuns + 1, MOST_COUNTED);
  const failsNow = !streak.hasRaisedFailure && failedRuns >= threshold;
  const warnsNow = !streak.hasRaisedFailure && !failsNow && failedRuns === 1;
  const level = failsNow ? 'failure' : warnsNow ? 'warning' : null;
  return {
    streak: {
      failedRuns,
      failingSince: streak.failingSince ?? run.completedAt,
      hasRaisedFailure: streak.hasRaisedFailure || failsNow,
    },
    alert: level && { level, failedRuns, downMs: null },
  };
}

function recoveryOf(streak: Streak, completedAt: number): StreakAlert | null {
  if (!streak.hasRaisedFailure) return null;
  const downMs = Math.max(0, completedAt - (streak.failingSince ?? completedAt));
  return { level: 'recovery', failedRuns: streak.failedRuns, downMs };
}
