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

/** `1 job`, `2 jobs`, `10,000+ jobs` where counting stopped there. */
export function describeCount(count: number, one: string, more: string, most = 10_000): string {
  return `${formatCapped(count, most)} ${count === 1 ? one : more}`;
}

/** Counting stops at a bound: beyond, nobody needs the exact number. */
export function formatCapped(count: number, most = 10_000): string {
  return count > most ? `${most.toLocaleString('en')}+` : count.toLocaleString('en');
}

/** A count that stopped somewhere, as it stands in a list. */
export function formatBounded({ count, isMore }: { count: number; isMore: boolean }): string {
  return `${count.toLocaleString('en')}${isMore ? '+' : ''}`;
}

/** `1 job`, `10,000+ jobs`. */
export function describeBounded(
  bounded: { count: number; isMore: boolean },
  one: string,
  more: string,
): string {
  return `${formatBounded(bounded)} ${bounded.count === 1 && !bounded.isMore ? one : more}`;
}

/** `3 of 10`, or `3` where there is no limit. */
export function describeRunning(running: number, limit: number | null): string {
  const count = running.toLocaleString('en');
  return limit === null ? count : `${count} of ${limit.toLocaleString('en')}`;
}
