/** Counts in words. */

/** A number, or one at which counting stopped. */
export type Amount = number | { count: number; isMore: boolean };

/**
 * `1 job`, `2 jobs`, `10,000+ jobs` where counting stopped there.
 *
 * @param more  the words for more than one, if they are not `one` with an s
 */
export function countOf(amount: Amount, one: string, more = `${one}s`): string {
  return `${formatAmount(amount)} ${isOne(amount) ? one : more}`;
}

/** Whether words about it are in the singular. */
export function isOne(amount: Amount): boolean {
  return typeof amount === 'number' ? amount === 1 : amount.count === 1 && !amount.isMore;
}

/** The amount in a list: `1,234`, `10,000+`. */
export function formatAmount(amount: Amount): string {
  if (typeof amount === 'number') return amount.toLocaleString('en');
  return `${amount.count.toLocaleString('en')}${amount.isMore ? '+' : ''}`;
}
