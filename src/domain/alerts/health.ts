export const HEALTHS = ['failing', 'late', 'paused', 'muted', 'active', 'idle'] as const;
export type Health = (typeof HEALTHS)[number];

const LATE_MS = 60_000;

export interface HealthFacts {
  /** By a person: it or its team. */
  isPaused: boolean;
  /** Failed for good and not resent. Attempts that were retried do not count. */
  isFailing: boolean;
  isMuted: boolean;
  isRunning: boolean;
  /** Its alert about jobs that wait, or about a long pause, is open. */
  isBacklogged: boolean;
  /** Milliseconds since 1970 UTC; null if none is planned. */
  nextAt: number | null;
}

/** The most serious state that applies. A paused one is left alone, unless an alert about its backlog is open. */
export function judgeHealth(facts: HealthFacts, now: number): Health {
  const { isPaused, isFailing, isMuted, isRunning, isBacklogged, nextAt } = facts;
  if (isPaused) return isBacklogged ? 'late' : 'paused';
  if (isFailing) return 'failing';
  if (isBacklogged) return 'late';
  if (nextAt !== null && now - nextAt >= LATE_MS) return 'late';
  if (isMuted) return 'muted';
  return isRunning || nextAt !== null ? 'active' : 'idle';
}

export function rankHealth(health: Health): number {
  return health === 'failing' ? 0 : health === 'late' ? 1 : 2;
}

export interface Streak {
  /** Counting stops at `MOST_IN_STREAK`. */
  runs: number;
  /** When the first of them ended. */
  since: number;
  lastRunId: string;
}

export const MOST_IN_STREAK = 1_000;

/** Runs that a streak could count: neither those under way nor attempts that were retried. */
export function countFinished(results: readonly { status: string; isRetried: boolean }[]): number {
  return results.filter(({ status, isRetried }) => status !== 'running' && !isRetried).length;
}

/** `9 of 9`, `3 of 50`. */
export function describeStreakOf({ runs }: Pick<Streak, 'runs'>, finished: number): string {
  if (runs >= MOST_IN_STREAK) return `${MOST_IN_STREAK.toLocaleString('en')} or more`;
  return `${runs} of ${Math.max(runs, finished)}`;
}
