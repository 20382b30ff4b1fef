/** The next run starts on time all the same (§3.1). */
import { describeDuration } from '#domain/base/duration-words';
import type { RunResult } from '../services.ts';

/**
 * @param recentResults the last runs
 * @param planned next times
 * @returns null if each run ends before the next
 */
export function describeOverlap(
  recentResults: readonly RunResult[],
  planned: readonly number[],
): string | null {
  const gaps = planned.slice(1).map((at, n) => at - (planned[n] ?? at));
  const longestMs = Math.max(0, ...recentResults.map(({ durationMs }) => durationMs ?? 0));
  const shortestMs = Math.min(...gaps);
  if (!Number.isFinite(shortestMs) || longestMs <= shortestMs) return null;
  return `Runs take up to ${describeDuration(longestMs)}, and one starts every ${describeDuration(shortestMs)}, also while the previous one is still running.`;
}
