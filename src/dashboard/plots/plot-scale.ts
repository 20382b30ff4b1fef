/** They begin at zero. */
export type Scale = { max: number; ticks: number[] };

/** At most five whole steps. */
export function buildScale(highest: number): Scale {
  if (!(highest > 0)) return { max: 1, ticks: [0, 1] };
  const rough = highest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? power * 10;
  const whole = Math.max(1, step);
  const count = Math.ceil(highest / whole);
  return {
    max: count * whole,
    ticks: Array.from({ length: count + 1 }, (_, at) => Number((at * whole).toPrecision(12))),
  };
}

/** Short enough for an axis. */
export function formatCount(value: number): string {
  if (value < 10_000) return value.toLocaleString('en', { maximumFractionDigits: 2 });
  if (value < 1_000_000) return `${Number((value / 1000).toPrecision(3))}k`;
  return `${Number((value / 1_000_000).toPrecision(3))}M`;
}

/** Seven labels fit on a phone. */
export function spaceLabels(count: number): number {
  const most = 7;
  return (
    [1, 2, 3, 4, 5, 6, 8, 12].find((every) => count / every <= most) ?? Math.ceil(count / most)
  );
}

/** Short enough for an attribute. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
