/** The state of a queue in one word. */
export type QueueHealth = 'idle' | 'active' | 'at its limit' | 'backlogged' | 'paused';

/** How long a due job may have waited before its queue counts as backlogged. */
const BACKLOG_MS = 60_000;

/**
 * What is in the way of a queue's jobs, whatever runs. Null: nothing for long.
 *
 * @param oldestWaitMs  how long the oldest due job has waited, in milliseconds; null if none is due
 */
export function judgeWaiting(
  isPaused: boolean,
  oldestWaitMs: number | null,
): 'paused' | 'backlogged' | null {
  if (isPaused) return 'paused';
  return oldestWaitMs !== null && oldestWaitMs >= BACKLOG_MS ? 'backlogged' : null;
}

export interface QueueFacts {
  /** What `judgeWaiting` says of it. */
  waiting: 'paused' | 'backlogged' | null;
  isAnyDue: boolean;
  /** How many attempts are under way. */
  running: number;
  concurrencyLimit: number | null;
}

/**
 * Judges a queue by the most serious state that applies: first paused, because nothing starts; then a backlog; then
 * the limit, which is no fault while nothing waits long. A queue with nothing running and nothing due is idle,
 * whatever is planned.
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
