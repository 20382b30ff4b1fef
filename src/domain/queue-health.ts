/** The state of a queue in one word. */
export type QueueHealth = 'idle' | 'active' | 'at its limit' | 'backlogged' | 'paused';

/** How long a due job may have waited before its queue counts as backlogged. */
const BACKLOG_MS = 60_000;

/**
 * Why due jobs do not start: the queue is paused, or the oldest has waited a minute; null if neither.
 *
 * @param oldestWaitMs how long the oldest due job has waited, in milliseconds; null if none is due
 */
export function judgeWaiting(
  isPaused: boolean,
  oldestWaitMs: number | null,
): 'paused' | 'backlogged' | null {
  if (isPaused) return 'paused';
  return oldestWaitMs !== null && oldestWaitMs >= BACKLOG_MS ? 'backlogged' : null;
}

export interface QueueFacts {
  /** The result of `judgeWaiting`. */
  waiting: 'paused' | 'backlogged' | null;
  isAnyDue: boolean;
  /** How many attempts are under way. */
  running: number;
  concurrencyLimit: number | null;
}

/**
 * Judges a queue by the most serious state that applies: first paused, because nothing starts; then a backlog; then the
 * limit, which is no fault while nothing waits long. A queue with nothing running and nothing due is idle.
 */
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
