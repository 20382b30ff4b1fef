export type AlertLevel = 'warning' | 'failure' | 'recovery';

export interface Streak {
  /** In the order in which their outcomes were settled. */
  failedRuns: number;
  /** When the first of them ended, in milliseconds since 1970 UTC. */
  failingSince: number | null;
  hasRaisedFailure: boolean;
}

export const NO_STREAK: Streak = { failedRuns: 0, failingSince: null, hasRaisedFailure: false };

export interface StreakAlert {
  level: AlertLevel;
  /** Including this run; for a recovery, of the streak that ends. */
  failedRuns: number;
  /** For a recovery: from the end of the first failed run to the end of this one. */
  downMs: number | null;
}

/** Counting stops here. */
const MOST_COUNTED = 1_000_000;

/**
 * Updates a cron's streak with one settled run, in the order of settlement. Run now counts. Runs that the monthly
 * limit stopped are not passed in.
 *
 * A warning alone is not followed by a recovery. A changed threshold applies from the next run on: lowering it raises
 * no alert, and raising it doesn't make a streak fail twice.
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
