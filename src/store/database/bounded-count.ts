export const MOST_COUNTED = 10_000;

/** One more shows that there are more. */
export const COUNT_LIMIT = MOST_COUNTED + 1;

export interface BoundedCount {
  count: number;
  isMore: boolean;
}

export function bound(count: number, most = MOST_COUNTED): BoundedCount {
  return { count: Math.min(count, most), isMore: count > most };
}

export function addBounded(...counts: readonly BoundedCount[]): BoundedCount {
  const sum = bound(counts.reduce((total, { count }) => total + count, 0));
  return { ...sum, isMore: sum.isMore || counts.some(({ isMore }) => isMore) };
}
