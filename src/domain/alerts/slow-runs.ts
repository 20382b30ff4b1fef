/** Slow runs (§6.4). */
import { HOUR_MS } from '../base/instant.ts';
import { formatMilliseconds } from '../base/duration-words.ts';
import { readStoredObject } from '../json/stored-object.ts';

/** A run is slow if it exceeds either. */
export interface SlowRule {
  seconds: number | null;
  /** Times the median of the last days. */
  timesMedian: number | null;
}

export const NO_SLOW_RULE: SlowRule = { seconds: null, timesMedian: null };

export const SLOW_RANGES = {
  seconds: { least: 1, most: 300 },
  timesMedian: { least: 2, most: 100 },
} as const;

export const MEDIAN_DAYS = 7;
export const LEAST_TIMED = 5;
/** A shorter median would raise an alert at every hiccup. */
const LEAST_SLOW_MS = 100;
/** So that alternating runs raise one alert. */
export const FAST_FOR_MS = 600_000;
/** A busy queue doesn't store each slow run. */
const REMEMBERED_MS = 60_000;

export function hasSlowRule({ seconds, timesMedian }: SlowRule): boolean {
  return seconds !== null || timesMedian !== null;
}

/** Equal rules have equal texts. */
export function writeSlowRule({ seconds, timesMedian }: SlowRule): string {
  return JSON.stringify({ seconds, timesMedian });
}

/** Null: none is set. */
export function readSlowRule(text: string | null): SlowRule | null {
  const rule = { ...NO_SLOW_RULE, ...readStoredObject<SlowRule>(text) };
  return hasSlowRule(rule) ? rule : null;
}

export interface Pace {
  isSlow: boolean;
  /** `Took 25 s, longer than 20 s.` */
  words: string;
}

/**
 * Null: unknown, because there are too few runs for a median.
 * @param medianMs null if there are too few runs
 */
export function judgePace(
  rule: SlowRule,
  durationMs: number,
  medianMs: number | null,
): Pace | null {
  const bounds = [
    ...(rule.seconds === null
      ? []
      : [{ ms: rule.seconds * 1000, words: formatMilliseconds(rule.seconds * 1000) }]),
    ...(rule.timesMedian === null || medianMs === null
      ? []
      : [
          {
            ms: Math.max(LEAST_SLOW_MS, rule.timesMedian * medianMs),
            words: `${rule.timesMedian} times its median of ${formatMilliseconds(medianMs)}`,
          },
        ]),
  ];
  const [lowest] = bounds.toSorted((a, b) => a.ms - b.ms);
  if (!lowest) return null;
  const took = `Took ${formatMilliseconds(durationMs)}`;
  return durationMs > lowest.ms
    ? { isSlow: true, words: `${took}, longer than ${lowest.words}.` }
    : { isSlow: false, words: `${took}.` };
}

export interface SlowSpell {
  since: number;
  /** To the minute. */
  lastAt: number;
  notifiedAt: number;
}

export interface SlowAlert {
  level: 'warning' | 'recovery';
  /** Null at its start. */
  slowMs: number | null;
}

/**
 * Slow runs of any outcome count; only a success ends a spell.
 * @param remindHours null: no reminders
 */
export function followPace(
  spell: SlowSpell | null,
  { isSlow, isSuccess, at }: { isSlow: boolean; isSuccess: boolean; at: number },
  remindHours: number | null,
): { spell: SlowSpell | null; alert: SlowAlert | null } {
  if (spell === null) {
    if (!isSlow) return { spell, alert: null };
    const begun = { since: at, lastAt: at, notifiedAt: at };
    return { spell: begun, alert: { level: 'warning', slowMs: null } };
  }
  const slowMs = Math.max(0, at - spell.since);
  if (!isSlow) {
    if (!isSuccess || at - spell.lastAt < FAST_FOR_MS) return { spell, alert: null };
    return { spell: null, alert: { level: 'recovery', slowMs } };
  }
  const lastAt = at - spell.lastAt < REMEMBERED_MS ? spell.lastAt : at;
  if (remindHours !== null && at - spell.notifiedAt >= remindHours * HOUR_MS)
    return { spell: { ...spell, lastAt, notifiedAt: at }, alert: { level: 'warning', slowMs } };
  return { spell: lastAt === spell.lastAt ? spell : { ...spell, lastAt }, alert: null };
}
