export { countOf, formatAmount, isOne } from '#domain/base/amounts';

/** Stands for a missing value. Two-line rows leave it out. */
export const NOTHING = '–';

/** The query counts one more than the bound. */
export function capped(count: number, most = 10_000): { count: number; isMore: boolean } {
  return { count: Math.min(count, most), isMore: count > most };
}

/** `3 of 10`, or `3` without a limit. */
export function describeRunning(running: number, limit: number | null): string {
  const count = running.toLocaleString('en');
  return limit === null ? count : `${count} of ${limit.toLocaleString('en')}`;
}

/** Rounded down: 100 % only if nothing failed. */
export function formatRate(rate: number | null): string {
  return rate === null ? NOTHING : `${Math.floor(rate * 1000) / 10} %`;
}

/** A second decimal would exceed the precision. */
export function formatRunsAnHour(runs: number | null): string {
  if (runs === null) return NOTHING;
  return runs.toLocaleString('en', { maximumFractionDigits: runs < 100 ? 1 : 0 });
}

export function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
