/** The state of a queue in one word. */
export type QueueHealth = 'idle' | 'active' | 'at its limit' | 'backlogged' | 'paused';

/** How long a due job may have waited before its queue counts as backlogged. */
const BACKLOG_MS = 60_000;

export interface QueueFacts {
  isPaused: boolean;
  /** How many attempts are under way. */
  running: number;
  concurrencyLimit: number | null;
  /** How long the oldest due job has waited, in milliseconds; null if none is due. */
  oldestWaitMs: number | null;
}

/**
 * Judges a queue by the most serious state that applies: first paused, because nothing starts; then a backlog; then
 * the limit, which is no fault while nothing waits long. A queue with nothing running and nothing due is idle,
 * whatever is planned.
 */
export function judgeQueue(facts: QueueFacts): QueueHealth {
  const { isPaused, running, concurrencyLimit, oldestWaitMs } = facts;
  if (isPaused) return 'paused';
  if (oldestWaitMs !== null && oldestWaitMs >= BACKLOG_MS) return 'backlogged';
  if (concurrencyLimit !== null && running >= concurrencyLimit) return 'at its limit';
  return running > 0 || oldestWaitMs !== null ? 'active' : 'idle';
}
