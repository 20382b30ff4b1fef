/**
 * Each step is up to two thirds longer than the previous one, so quantiles are right within about a tenth. Counts can
 * be added over hours and nodes.
 */

/** In milliseconds. One more step counts longer durations. */
export const DURATION_BOUNDS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000,
  5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 50_000, 70_000, 100_000, 150_000, 200_000, 300_000,
] as const;

/** One entry more than `DURATION_BOUNDS`. */
export type DurationCounts = readonly number[];

export function stepOf(ms: number): number {
  const step = DURATION_BOUNDS.findIndex((bound) => ms <= bound);
  return step === -1 ? DURATION_BOUNDS.length : step;
}

export function addCounts(all: readonly DurationCounts[]): number[] {
  return Array.from({ length: DURATION_BOUNDS.length + 1 }, (_, step) =>
    all.reduce((sum, counts) => sum + (counts[step] ?? 0), 0),
  );
}

/** Assumes that the runs of a step are spread evenly. Beyond the last bound it returns that bound. */
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
