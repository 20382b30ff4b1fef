interface Stretch {
  id: string;
  /** Null while the run hasn't started. */
  startedAt: number | null;
  completedAt: number | null;
}

export function findOverlapping(runs: readonly Stretch[]): Set<string> {
  const found = new Set<string>();
  const started = runs.flatMap(({ id, startedAt, completedAt }) =>
    startedAt === null ? [] : [{ id, from: startedAt, to: completedAt ?? Infinity }],
  );
  let until = -Infinity;
  for (const { id, from, to } of started.toSorted((a, b) => a.from - b.from)) {
    if (from < until) found.add(id);
    until = Math.max(until, to);
  }
  return found;
}
