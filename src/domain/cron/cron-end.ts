import { countOf } from '../base/amounts.ts';
import { formatUtcMinute } from '../base/instant.ts';

export interface CronEnd {
  /** Inclusive. */
  endsAt: number | null;
  /** Counted from when a number was first set. */
  maxRuns: number | null;
}

export const NO_END: CronEnd = { endsAt: null, maxRuns: null };
export const MOST_RUNS = { least: 1, most: 1_000_000 } as const;

export function withinEnd(
  next: number | null,
  { endsAt, maxRuns }: CronEnd,
  runsCounted: number,
): number | null {
  if (next === null || (maxRuns !== null && runsCounted >= maxRuns)) return null;
  return endsAt !== null && next > endsAt ? null : next;
}

export function timesWithinEnd(
  times: readonly number[],
  end: CronEnd,
  runsCounted: number,
): number[] {
  return times.filter((at, n) => withinEnd(at, end, runsCounted + n) !== null);
}

/** Unchanged if there was and is a limit, else 0. */
export function keepCount(before: CronEnd, after: CronEnd, runsCounted: number): number {
  return before.maxRuns === null || after.maxRuns === null ? 0 : runsCounted;
}

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
