/** Finds out since when a cron has been failing, as far as its recent results show. */
import type { RunResult } from '../services.ts';
import { formatShort } from '../words/times.ts';
import { describeOutcome } from './reasons.ts';

export type FailingStreak = {
  runs: number;
  /** All available results belong to the streak, so it may be longer. */
  isMore: boolean;
  since: number;
  lastRunId: string;
};

/** @param recentResults  oldest first; runs under way are ignored @param length  the length of a full list */
export function readStreak(recentResults: readonly RunResult[], length = 50): FailingStreak | null {
  const ended = recentResults.filter(({ status }) => status !== 'running');
  const failed = ended.slice(ended.findLastIndex(({ status }) => status !== 'failed') + 1);
  const [first, last] = [failed[0], failed.at(-1)];
  if (!first || !last) return null;
  return {
    runs: failed.length,
    isMore: failed.length === ended.length && recentResults.length >= length,
    since: first.completedAt ?? 0,
    lastRunId: last.id,
  };
}

/** `Failed 4 times in a row since 20 Nov 16:00 UTC: HTTP 500` */
export function describeStreak(
  { runs, isMore, since }: FailingStreak,
  last: Parameters<typeof describeOutcome>[0],
): string {
  const times = isMore ? `${runs} times or more` : `${runs} times`;
  const when =
    runs === 1
      ? `The last run failed, ${formatShort(since)} UTC`
      : `Failed ${times} in a row${isMore ? '' : ` since ${formatShort(since)} UTC`}`;
  return `${when}: ${describeOutcome(last)}`;
}
