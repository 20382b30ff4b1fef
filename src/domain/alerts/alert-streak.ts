export type AlertLevel = 'warning' | 'failure' | 'recovery';

export interface Streak {
  failedRuns: number;
  /** When the first of them ended, in milliseconds since 1970 UTC. */
  failingSince: number | null;
  hasRaisedFailure: boolean;
}

export const NO_STREAK: Streak = { failedRuns: 0, failingSince: null, hasRaisedFailure: false };

export interface StreakAlert {
  level: AlertLevel;
  /** For a recovery, of the streak that ends. */
  failedRuns: number;
  /** For a recovery: from the end of the first failed run to the end of this one. */
  downMs: number | null;
}

export interface StreakRule {
  /** Null: alerts are off. */
  threshold: number | null;
  stopAfter: number | null;
  /** A paused cron is not stopped again. */
  isActive: boolean;
}

export const STOP_AFTER = { least: 1, most: 1_000 } as const;

/** A streak is not counted beyond this number. */
const MOST_COUNTED = 1_000_000;

/**
 * In the order of settlement. Run now counts. Runs that the monthly limit stopped are not
 * passed in. A warning alone is not followed by a recovery. A changed threshold applies from
 * the next run on: lowering it raises no alert, and raising it doesn't make a streak fail
 * twice. Without a rule the streak is reset. The run that stops the cron raises a failure,
 * whatever was raised before.
 */
export function followRun(
  streak: Streak,
  { threshold, stopAfter, isActive }: StreakRule,
  run: { isSuccess: boolean; completedAt: number },
): { streak: Streak; alert: StreakAlert | null; isStopped: boolean } {
  const isFollowed = threshold !== null || stopAfter !== null;
  if (!isFollowed || run.isSuccess) {
    const alert = isFollowed ? recoveryOf(streak, run.completedAt) : null;
    return { streak: NO_STREAK, alert, isStopped: false };
  }
  const failedRuns = Math.min(streak.failedRuns + 1, MOST_COUNTED);
  const isStopped = isActive && stopAfter !== null && failedRuns >= stopAfter;
  const isQuiet = threshold === null || streak.hasRaisedFailure;
  const failsNow = isStopped || (!isQuiet && failedRuns >= threshold);
  const warnsNow = !isQuiet && !failsNow && failedRuns === 1;
  const level = failsNow ? 'failure' : warnsNow ? 'warning' : null;
  return {
    streak: {
      failedRuns,
      failingSince: streak.failingSince ?? run.completedAt,
      hasRaisedFailure: streak.hasRaisedFailure || failsNow,
    },
    alert: level && { level, failedRuns, downMs: null },
    isStopped,
  };
}

function recoveryOf(streak: Streak, completedAt: number): StreakAlert | null {
  if (!streak.hasRaisedFailure) return null;
  const downMs = Math.max(0, completedAt - (streak.failingSince ?? completedAt));
  return { level: 'recovery', failedRuns: streak.failedRuns, downMs };
}
