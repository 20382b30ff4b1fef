export type QueueHealth = 'idle' | 'active' | 'at its limit' | 'backlogged' | 'paused';

/** A due job that waits longer makes a backlog. */
const BACKLOG_MS = 60_000;

/**
 * Why due jobs don't start, or null.
 * @param oldestWaitMs null if none is due
 */
export function judgeWaiting(
  isPaused: boolean,
  oldestWaitMs: number | null,
): 'paused' | 'backlogged' | null {
  if (isPaused) return 'paused';
  return oldestWaitMs !== null && oldestWaitMs >= BACKLOG_MS ? 'backlogged' : null;
}

export interface QueueFacts {
  waiting: 'paused' | 'backlogged' | null;
  isAnyDue: boolean;
  running: number;
  concurrencyLimit: number | null;
}

/** The most serious state: paused, backlog, limit. A queue without running or due jobs is idle. */
export function judgeQueue({
  waiting,
  isAnyDue,
  running,
  concurrencyLimit,
}: QueueFacts): QueueHealth {
  if (waiting !== null) return waiting;
  if (concurrencyLimit !== null && running >= concurrencyLimit) return 'at its limit';
  return running > 0 || isAnyDue ? 'active' : 'idle';
}
