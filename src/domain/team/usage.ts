/** §8.2, §6.7. */
export function describeUsage({ used, limit, month }: UsedMonth): string {
  const percent = Math.floor((used * 100) / limit);
  return `${used.toLocaleString('en')} of ${limit.toLocaleString('en')} runs of ${nameMonth(month)} are used (${percent} %)`;
}

interface UsedMonth {
  used: number;
  limit: number;
  /** `2026-11`, UTC. */
  month: string;
}

function nameMonth(month: string): string {
  const first = new Date(`${month}-01T00:00:00Z`);
  return first.toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}
