/** When runs of a cron or queue are slow, and the alerts about it (§6.4). */
import { formatMilliseconds } from './duration-words.ts';

/** A run that took longer than any of these is slow. At least one is set. */
export interface SlowRule {
  /** Whole seconds. */
  seconds: number | null;
  /** So many times the median of the last days. */
  timesMedian: number | null;
}

export const SLOW_RANGES = {
  seconds: { least: 1, most: 300 },
  timesMedian: { least: 2, most: 100 },
} as const;

/** The days whose successful runs make the median, and how many there have to be. */
export const MEDIAN_DAYS = 7;
export const LEAST_TIMED = 5;
/** Multiples of a shorter median would raise an alert at every hiccup. */
const LEAST_SLOW_MS = 100;
/** A fast run ends a slow spell only this long after the last slow run, so that alternating runs raise one alert. */
export const CALM_MS = 600_000;
/** How exactly the last slow run is remembered: a busy queue is not to write it down with each. */
const REMEMBERED_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The same rule is the same text. */
export function writeSlowRule(rule: SlowRule): string;
export function writeSlowRule(rule: SlowRule | null): string | null;
export function writeSlowRule(rule: SlowRule | null): string | null {
  if (rule === null) return null;
  const { seconds, timesMedian } = rule;
  return JSON.stringify({ seconds, timesMedian });
}

/** An unreadable text is no rule. Never throws. */
export function readSlowRule(text: string | null): SlowRule | null {
  if (text === null) return null;
  try {
    const kept = { ...(JSON.parse(text) as Partial<Record<string, unknown>> | null) };
    const [seconds, timesMedian] = [numberOf(kept['seconds']), numberOf(kept['timesMedian'])];
    return seconds === null && timesMedian === null ? null : { seconds, timesMedian };
  } catch {
    return null;
  }
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);

export interface Pace {
  isSlow: boolean;
  /** `Took 25 s, longer than 20 s.` */
  words: string;
}

/**
 * Judges how long a run took. Null: unknown, because the rule uses a median alone and there are too few runs for one.
 *
 * @param medianMs of the last days; null if there are too few runs
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

/** A cron or queue that is slow. */
export interface SlowSpell {
  /** The end of its first slow run. */
  since: number;
  /** The end of the last one, to the minute. */
  lastAt: number;
  /** The time of the last notification. */
  toldAt: number;
}

export interface SlowAlert {
  level: 'warning' | 'recovery';
  /** For how long it is or was slow; null where that begins. */
  slowMs: number | null;
}

/**
 * Updates a cron or queue by one timed run. A slow one counts with any outcome; only a success ends a spell.
 *
 * @param remindHours the hours after which the next slow run is notified again; null: never
 */
export function followPace(
  spell: SlowSpell | null,
  { isSlow, isSuccess, at }: { isSlow: boolean; isSuccess: boolean; at: number },
  remindHours: number | null,
): { spell: SlowSpell | null; alert: SlowAlert | null } {
  if (spell === null) {
    if (!isSlow) return { spell, alert: null };
    const begun = { since: at, lastAt: at, toldAt: at };
    return { spell: begun, alert: { level: 'warning', slowMs: null } };
  }
  const slowMs = Math.max(0, at - spell.since);
  if (!isSlow) {
    if (!isSuccess || at - spell.lastAt < CALM_MS) return { spell, alert: null };
    return { spell: null, alert: { level: 'recovery', slowMs } };
  }
  const lastAt = at - spell.lastAt < REMEMBERED_MS ? spell.lastAt : at;
  if (remindHours !== null && at - spell.toldAt >= remindHours * HOUR_MS)
    return { spell: { ...spell, lastAt, toldAt: at }, alert: { level: 'warning', slowMs } };
  return { spell: lastAt === spell.lastAt ? spell : { ...spell, lastAt }, alert: null };
}
