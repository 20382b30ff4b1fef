const hour = 3_600_000;
const day = 24 * hour;

export type Range = { name: string; word: string; ms: number; steps: number };

const weekRange: Range = { name: 'week', word: '7 d', ms: 7 * day, steps: 28 };

/** Spans of time that plots show, in equal steps. */
export const ranges: readonly [Range, ...Range[]] = [
  { name: 'day', word: '24 h', ms: day, steps: 24 },
  weekRange,
  { name: 'month', word: '30 d', ms: 30 * day, steps: 30 },
];

export function findRange(name: string | undefined): Range {
  return ranges.find((range) => range.name === name) ?? ranges[0];
}

/** The label of a step in a plot of so much time: the hour within a day, else the day. */
export function labelStep(from: number, { ms }: Range): string {
  const iso = new Date(from).toISOString();
  if (ms <= day) return iso.slice(11, 16);
  return ms <= 7 * day ? `${iso.slice(5, 10)} ${iso.slice(11, 16)}` : iso.slice(5, 10);
}
