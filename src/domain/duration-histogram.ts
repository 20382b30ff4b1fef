/**
 * A histogram of durations. Each step is up to half or two thirds longer than the one before. That gives the median and
 * the 95th percentile within about a tenth from few numbers, which can be added up over hours and nodes.
 */

/** The upper bound of each step, in milliseconds. One further step counts all longer durations. */
export const DURATION_BOUNDS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000,
  5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 50_000, 70_000, 100_000, 150_000, 200_000, 300_000,
] as const;

/** How many runs fell into each step. It has one entry more than `DURATION_BOUNDS`. */
export type DurationCounts = readonly number[];

/** The number of the step that a duration falls into. */
export function stepOf(ms: number): number {
  const step = DURATION_BOUNDS.findIndex((bound) => ms <= bound);
  return step === -1 ? DURATION_BOUNDS.length : step;
}

export function addCounts(all: readonly DurationCounts[]): number[] {
  return Array.from({ length: DURATION_BOUNDS.length + 1 }, (_, step) =>
    all.reduce((sum, counts) => sum + (counts[step] ?? 0), 0),
  );
}

/**
 * Estimates the duration that a share of the runs did not exceed, in milliseconds; null if there are no runs. Assumes
 * that the runs of a step are spread evenly over it. Beyond the last bound it returns the last bound.
 */
export function estimateQuantile(counts: DurationCounts, share: number): number | null {
  const total = counts.reduce((sum, runs) => sum + runs, 0);
  const rank = Math.max(1, Math.ceil(share * total));
  let before = 0;
  for (const [step, runs] of counts.entries()) {
    if (before + runs < rank) {
      before += runs;
      continue;
    }
    const from = DURATION_BOUNDS[step - 1] ?? 0;
    const to = DURATION_BOUNDS[step] ?? from;
    return runs === 0 ? null : Math.round(from + ((to - from) * (rank - before - 0.5)) / runs);
  }
  return null;
}
