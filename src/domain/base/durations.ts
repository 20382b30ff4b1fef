export interface TimedRun {
  completedAt: number;
  durationMs: number;
  status: 'success' | 'failed';
}

export interface DurationStep {
  from: number;
  to: number;
  runs: number;
  failed: number;
  /** Null if no run ended in the step. */
  medianMs: number | null;
  p95Ms: number | null;
}

/** The last one ends at `to`. */
export function summariseDurations(
  runs: readonly TimedRun[],
  { from, to, steps }: { from: number; to: number; steps: number },
): DurationStep[] {
  const stepMs = Math.max(1, Math.ceil((to - from) / steps));
  const byStep = Map.groupBy(runs, ({ completedAt }) => Math.floor((completedAt - from) / stepMs));
  return Array.from({ length: steps }, (_, n) => {
    const own = byStep.get(n) ?? [];
    const sorted = own.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
    return {
      from: from + n * stepMs,
      to: Math.min(to, from + (n + 1) * stepMs),
      runs: own.length,
      failed: own.filter(({ status }) => status === 'failed').length,
      medianMs: quantile(sorted, 0.5),
      p95Ms: quantile(sorted, 0.95),
    };
  });
}

export function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
