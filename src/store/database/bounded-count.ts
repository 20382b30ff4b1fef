/** Counting stops here, so that the cost of a page does not grow with the stored data. */
export const MOST_COUNTED = 10_000;

/** How many rows a count reads: one more shows that there are more. */
export const COUNT_LIMIT = MOST_COUNTED + 1;

/** A count that stops at 10,000, in rows of queues at 1,000. `isMore` is shown as a plus after it. */
export interface BoundedCount {
  count: number;
  isMore: boolean;
}

export function bound(count: number, most = MOST_COUNTED): BoundedCount {
  return { count: Math.min(count, most), isMore: count > most };
}
