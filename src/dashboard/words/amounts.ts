/** A number, or one at which counting stopped. */
type Amount = number | { count: number; isMore: boolean };

/** `1 job`, `2 jobs`, `10,000+ jobs` where counting stopped there. */
export function countOf(amount: Amount, one: string, more: string): string {
  return `${formatAmount(amount)} ${isOne(amount) ? one : more}`;
}

/** Whether words about it stand in the singular. */
export function isOne(amount: Amount): boolean {
  return typeof amount === 'number' ? amount === 1 : amount.count === 1 && !amount.isMore;
}

/** The amount in a list: `1,234`, `10,000+`. */
export function formatAmount(amount: Amount): string {
  if (typeof amount === 'number') return amount.toLocaleString('en');
  return `${amount.count.toLocaleString('en')}${amount.isMore ? '+' : ''}`;
}

/** The count to show. The query counts up to one more than the bound, which tells whether there are more. */
export function capped(count: number, most = 10_000): { count: number; isMore: boolean } {
  return { count: Math.min(count, most), isMore: count > most };
}

/** `3 of 10`, or `3` where there is no limit. */
export function describeRunning(running: number, limit: number | null): string {
  const count = running.toLocaleString('en');
  return limit === null ? count : `${count} of ${limit.toLocaleString('en')}`;
}
