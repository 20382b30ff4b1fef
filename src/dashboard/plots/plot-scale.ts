/** Numbers for axes: from zero, in steps that people count in. */
export type Scale = { max: number; ticks: number[] };

/** A scale from 0 to at least `highest`, with at most five round steps: whole ones, for runs and milliseconds. */
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

/** `1,200`, `12k`, `3.4M`: short enough for an axis. */
export function formatCount(value: number): string {
  if (value < 10_000) return value.toLocaleString('en', { maximumFractionDigits: 2 });
  if (value < 1_000_000) return `${Number((value / 1000).toPrecision(3))}k`;
  return `${Number((value / 1_000_000).toPrecision(3))}M`;
}

/** Every how many columns a label stands: at most seven, which have room on a phone. */
export function spaceLabels(count: number): number {
  const most = 7;
  return (
    [1, 2, 3, 4, 5, 6, 8, 12].find((every) => count / every <= most) ?? Math.ceil(count / most)
  );
}
