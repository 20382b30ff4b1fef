/** At most `count` starts per period (§3.8). */
export interface Rate {
  count: number;
  per: RateUnit;
}

const UNIT_US = { second: 1_000_000, minute: 60_000_000, hour: 3_600_000_000 } as const;
type RateUnit = keyof typeof UNIT_US;

export const MOST_RATE = 1_000_000;

const UNITS: Readonly<Record<string, RateUnit>> = {
  s: 'second',
  sec: 'second',
  second: 'second',
  m: 'minute',
  min: 'minute',
  minute: 'minute',
  h: 'hour',
  hour: 'hour',
};

/** Reads `10/second`, `100 per minute`, `5/h`. */
export function parseRate(text: string): Rate | null {
  const match = /^(\d{1,7})(?: ?\/ ?| per )([a-z]{1,6})$/i.exec(text.trim());
  const [, digits, word = ''] = match ?? [];
  const unit = word.toLowerCase();
  const per = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  const count = Number(digits);
  return per !== undefined && count >= 1 && count <= MOST_RATE ? { count, per } : null;
}

/** The stored form: `10/second`. */
export function formatRate({ count, per }: Rate): string {
  return `${count}/${per}`;
}

export function describeRate({ count, per }: Rate): string {
  return `${count.toLocaleString('en')} per ${per}`;
}

/** Microseconds; rounded up, so that rounding never exceeds a rate. */
export function stepOf({ count, per }: Rate): number {
  return Math.ceil(UNIT_US[per] / count);
}

/** Milliseconds from the first to the last start. */
export function spanOf(rate: Rate, starts: number): number {
  return Math.ceil((Math.max(0, starts - 1) * stepOf(rate)) / 1000);
}

/** `n` counts from 0. */
export function startAt(rate: Rate, from: number, n: number): number {
  return from + spanOf(rate, n + 1);
}

/** The first one is at the beginning. */
export function countWithin(rate: Rate, withinMs: number): number {
  return Math.floor((withinMs * 1000) / stepOf(rate)) + 1;
}

export function leastRate(starts: number, withinMs: number): Rate {
  let count = Math.max(1, Math.floor(((starts - 1) * UNIT_US.hour) / (withinMs * 1000)));
  while (spanOf({ count, per: 'hour' }, starts) > withinMs) count++;
  return { count, per: 'hour' };
}

/** Makes up for delays by timers and commits. */
const MADE_UP_US = 100_000;
/** A later time was written before the clock was set back, or at a lower rate. */
const AHEAD_US = 5_000_000;

/** Microseconds since 1970 UTC. */
export interface Allowance {
  slots: number;
  /** Each start adds a step; the result is stored as `spentUntil`. */
  from: number;
  stepUs: number;
}

/**
 * How many runs may start now: the generic cell rate algorithm with a delay as its only credit. In t seconds at most
 * (t + 0.1) / step + 1 runs start.
 * @param spentUntil `from` of the last allowance, moved on; null at first
 * @param now milliseconds since 1970 UTC
 */
export function allowAt(rate: Rate, spentUntil: number | null, now: number): Allowance {
  const stepUs = stepOf(rate);
  const nowUs = now * 1000;
  // Credit is in whole steps, so rates below 10 per second have none.
  const rested = nowUs - Math.floor(MADE_UP_US / stepUs) * stepUs;
  const isRested = spentUntil === null || spentUntil < nowUs - MADE_UP_US;
  const isAhead = spentUntil !== null && spentUntil > nowUs + stepUs + AHEAD_US;
  const from = isRested || isAhead ? rested : spentUntil;
  const slots = from > nowUs ? 0 : Math.floor((nowUs - from) / stepUs) + 1;
  return { slots, from, stepUs };
}

export function nextStart({ from, stepUs }: Allowance, started: number): number {
  return Math.ceil((from + started * stepUs) / 1000);
}
