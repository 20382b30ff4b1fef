/** With `isMore`, counting stopped at `count`. */
type Amount = number | { count: number; isMore: boolean };

/**
 * `1 job`, `2 jobs`, `10,000+ jobs`.
 * @param more the plural if it isn't `one` with an s
 */
export function countOf(amount: Amount, one: string, more = `${one}s`): string {
  return `${formatAmount(amount)} ${isOne(amount) ? one : more}`;
}

export function isOne(amount: Amount): boolean {
  return typeof amount === 'number' ? amount === 1 : amount.count === 1 && !amount.isMore;
}

export function formatAmount(amount: Amount): string {
  if (typeof amount === 'number') return amount.toLocaleString('en');
  return `${amount.count.toLocaleString('en')}${amount.isMore ? '+' : ''}`;
}
