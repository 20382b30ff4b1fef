import { HOUR_MS } from '../base/instant.ts';

/** Even if waiting jobs alone exceed the limit, the last failures stay readable. */
export const LEAST_KEPT_MS = HOUR_MS;

/** Of the history's age, with one cut: few rows a step, and at most so much too much. */
const LEAST_PART = 1 / 32;
const MOST_PART = 1 / 8;

interface HistorySize {
  usedBytes: number;
  maxBytes: number;
  /** End of the oldest run; null without a history. */
  oldestAt: number | null;
  now: number;
}

/**
 * Runs that ended by this time are deleted, then the size is measured again. The same for every process that measures
 * the same.
 */
export function cutHistory({ usedBytes, maxBytes, oldestAt, now }: HistorySize): number | null {
  const latest = now - LEAST_KEPT_MS;
  if (usedBytes <= maxBytes || oldestAt === null || oldestAt > latest) return null;
  const excess = (usedBytes - maxBytes) / usedBytes;
  const part = Math.min(MOST_PART, Math.max(LEAST_PART, excess));
  return Math.min(latest, oldestAt + Math.floor((now - oldestAt) * part));
}
