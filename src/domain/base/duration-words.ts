/** Some supported browsers lack `Intl.DurationFormat`. */
const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** `45 s`, `1 min`, `1 h 30 min`, `2 d`: the two largest units, in whole seconds. */
export function describeDuration(ms: number): string {
  let rest = Math.floor(ms / 1000);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(`${amount} ${unit}`);
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

/** A measured duration: `85 ms`, `1.2 s`, `2 min 5 s`. */
export function formatMilliseconds(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))} s`;
  return describeDuration(Math.round(ms / 1000) * 1000);
}
