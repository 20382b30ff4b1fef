export { countOf, formatAmount, isOne } from '#domain/amounts';

/** The count to show. The query counts up to one more than the bound, which tells whether there are more. */
export function capped(count: number, most = 10_000): { count: number; isMore: boolean } {
  return { count: Math.min(count, most), isMore: count > most };
}

/** `3 of 10`, or `3` where there is no limit. */
export function describeRunning(running: number, limit: number | null): string {
  const count = running.toLocaleString('en');
  return limit === null ? count : `${count} of ${limit.toLocaleString('en')}`;
}
