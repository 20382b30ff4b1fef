/** Amounts as people say them. */

/** `45 s`, `1 min`, `1 h 30 min`, `2 d`: the two largest units. */
export function describeSeconds(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ] as const;
  let rest = Math.round(seconds);
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(`${amount} ${unit}`);
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

/** A number, or one at which counting stopped. */
export type Amount = number | { count: number; isMore: boolean };

/** `1 job`, `2 jobs`, `10,000+ jobs` where counting stopped there. */
export function countOf(amount: Amount, one: string, more: string): string {
  return `${formatAmount(amount)} ${isOne(amount) ? one : more}`;
}

/** Whether words about it stand in the singular. */
export function isOne(amount: Amount): boolean {
  return typeof amount === 'number' ? amount === 1 : amount.count === 1 && !amount.isMore;
}

/** As it stands in a list: `1,234`, `10,000+`. */
export function formatAmount(amount: Amount): string {
  if (typeof amount === 'number') return amount.toLocaleString('en');
  return `${amount.count.toLocaleString('en')}${amount.isMore ? '+' : ''}`;
}

/** As a form carries it back: `1234`, `10000+`. */
export function writeAmount({ count, isMore }: { count: number; isMore: boolean }): string {
  return `${count}${isMore ? '+' : ''}`;
}

/** What is told of a count that goes one beyond its bound where there is more. */
export function capped(count: number, most = 10_000): { count: number; isMore: boolean } {
  return { count: Math.min(count, most), isMore: count > most };
}

/** `3 of 10`, or `3` where there is no limit. */
export function describeRunning(running: number, limit: number | null): string {
  const count = running.toLocaleString('en');
  return limit === null ? count : `${count} of ${limit.toLocaleString('en')}`;
}
