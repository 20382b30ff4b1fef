/** When a cron's schedule ends (§3.1): at a time, after a number of runs, or with whichever comes first. */
import { countOf } from './amounts.ts';
import { formatUtcMinute } from './instant.ts';

export interface CronEnd {
  /** The last instant at which a scheduled run may be due. */
  endsAt: number | null;
  /** Scheduled runs, counted from when a number was first set. */
  maxRuns: number | null;
}

export const NO_END: CronEnd = { endsAt: null, maxRuns: null };
export const MOST_RUNS = { least: 1, most: 1_000_000 } as const;

/**
 * The next time of a schedule, if it is before the end.
 * @param runsCounted the number of runs so far
 */
export function withinEnd(
  next: number | null,
  { endsAt, maxRuns }: CronEnd,
  runsCounted: number,
): number | null {
  if (next === null || (maxRuns !== null && runsCounted >= maxRuns)) return null;
  return endsAt !== null && next > endsAt ? null : next;
}

/** Those of a schedule's next times, in their order, that come before the end. */
export function timesWithinEnd(
  times: readonly number[],
  end: CronEnd,
  runsCounted: number,
): number[] {
  return times.filter((at, n) => withinEnd(at, end, runsCounted + n) !== null);
}

/** The run counter after an edit: unchanged if there was and is a limit of runs, else 0. */
export function keepCount(before: CronEnd, after: CronEnd, runsCounted: number): number {
  return before.maxRuns === null || after.maxRuns === null ? 0 : runsCounted;
}

/** Active, and with no time to come. */
export function hasEnded({
  isActive,
  nextRunAt,
}: {
  isActive: boolean;
  nextRunAt: number | null;
}): boolean {
  return isActive && nextRunAt === null;
}

/** `2026-12-31 18:00 UTC or 10 runs`; `none`. */
export function describeEnd({ endsAt, maxRuns }: CronEnd): string {
  const parts = [
    ...(endsAt === null ? [] : [`${formatUtcMinute(endsAt)} UTC`]),
    ...(maxRuns === null ? [] : [countOf(maxRuns, 'run')]),
  ];
  return parts.join(' or ') || 'none';
}
