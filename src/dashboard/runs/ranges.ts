const hour = 3_600_000;
const day = 24 * hour;

export type Range = { name: string; word: string; ms: number; steps: number };

const weekRange: Range = { name: 'week', word: '7 d', ms: 7 * day, steps: 28 };

/** In equal steps. Counts of queues reach back over the first two. */
export const ranges: readonly [Range, ...Range[]] = [
  { name: 'day', word: '24 h', ms: day, steps: 24 },
  weekRange,
  { name: 'month', word: '30 d', ms: 30 * day, steps: 30 },
];

export const queueRanges = ranges.slice(0, 2);

export function findRange(name: string | undefined): Range {
  return ranges.find((range) => range.name === name) ?? ranges[0];
}

/** The hour within a day, else the day. */
export function labelStep(from: number, { ms }: Range): string {
  if (ms <= day) return labelHour(from);
  return ms <= 7 * day ? `${labelDay(from)}, ${labelHour(from)}` : labelDay(from);
}

/** `09:00` */
export function labelHour(from: number): string {
  return new Date(from).toISOString().slice(11, 16);
}

/** `21 Nov` */
export function labelDay(from: number): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
  });
  return format.format(from);
}
