/** How many may start in a unit of time, evenly spread over it: `10/second` (§3.8). */
export interface Rate {
  count: number;
  per: RateUnit;
}

const UNIT_US = { second: 1_000_000, minute: 60_000_000, hour: 3_600_000_000 } as const;
export type RateUnit = keyof typeof UNIT_US;

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

/** Reads `10/second`, `100 per minute`, `5/h`. Null for any other text, and for a number outside 1 to a million. */
export function parseRate(text: string): Rate | null {
  const match = /^(\d{1,7})(?: ?\/ ?| per )([a-z]{1,6})$/i.exec(text.trim());
  const [, digits, word = ''] = match ?? [];
  const unit = word.toLowerCase();
  const per = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  const count = Number(digits);
  return per !== undefined && count >= 1 && count <= MOST_RATE ? { count, per } : null;
}

/** The form that `parseRate` reads and that is stored: `10/second`. */
export function formatRate({ count, per }: Rate): string {
  return `${count}/${per}`;
}

/** `1,000 per hour`: for people. */
export function describeRate({ count, per }: Rate): string {
  return `${count.toLocaleString('en')} per ${per}`;
}

/** From one start to the next, in microseconds; rounded up, so that a rate is never exceeded by rounding. */
export function stepOf({ count, per }: Rate): number {
  return Math.ceil(UNIT_US[per] / count);
}

/** How long so many starts take, one after the other, from the first to the last; in milliseconds. */
export function spanOf(rate: Rate, starts: number): number {
  return Math.ceil((Math.max(0, starts - 1) * stepOf(rate)) / 1000);
}

/** When the nth of many starts, from 0 on, where the first one starts at `from`. */
export function startAt(rate: Rate, from: number, n: number): number {
  return from + spanOf(rate, n + 1);
}

/** How many starts a time has room for, the first one at its beginning. */
export function countWithin(rate: Rate, withinMs: number): number {
  return Math.floor((withinMs * 1000) / stepOf(rate)) + 1;
}

/** The lowest rate by the hour at which so many starts are over within a time. */
export function leastRate(starts: number, withinMs: number): Rate {
  let count = Math.max(1, Math.floor(((starts - 1) * UNIT_US.hour) / (withinMs * 1000)));
  while (spanOf({ count, per: 'hour' }, starts) > withinMs) count++;
  return { count, per: 'hour' };
}

/** A delay of up to this is made up for, so that a rate isn't lost to timers and commits. */
const MADE_UP_US = 100_000;
/** A time more than one step and this ahead was written before the clock was set back, or at a lower rate. */
const AHEAD_US = 5_000_000;

/**
 * The starts that a rate allows at a moment. Times are microseconds since 1970 UTC: safe integers until the year 2255.
 */
export interface Allowance {
  slots: number;
  /** When the first of them was due. Each that starts moves it on by a step; written down, it is the next `spentUntil`. */
  from: number;
  stepUs: number;
}

/**
 * How many runs may start now, one step apart (the generic cell rate algorithm, with a delay as its only credit). In a
 * period t at most (t + 0.1 s) / step + 1 runs start.
 *
 * @param spentUntil until when the rate is spent: `from` of the last allowance, moved on; null if nothing has started
 * yet
 * @param now milliseconds since 1970 UTC
 */
export function allowAt(rate: Rate, spentUntil: number | null, now: number): Allowance {
  const stepUs = stepOf(rate);
  const nowUs = now * 1000;
  // Credit is given in whole steps, so a rate below 10 per second has none.
  const rested = nowUs - Math.floor(MADE_UP_US / stepUs) * stepUs;
  const isRested = spentUntil === null || spentUntil < nowUs - MADE_UP_US;
  const isAhead = spentUntil !== null && spentUntil > nowUs + stepUs + AHEAD_US;
  const from = isRested || isAhead ? rested : spentUntil;
  const slots = from > nowUs ? 0 : Math.floor((nowUs - from) / stepUs) + 1;
  return { slots, from, stepUs };
}

/** When the next one may start after so many of an allowance have; milliseconds since 1970 UTC. */
export function nextStart({ from, stepUs }: Allowance, started: number): number {
  return Math.ceil((from + started * stepUs) / 1000);
}
