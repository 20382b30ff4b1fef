/** Slow runs (§6.4). */
import { HOUR_MS } from '../base/instant.ts';
import { formatMilliseconds } from '../base/duration-words.ts';

/** Seconds of a cron's or queue's limit: longer runs are slow. */
export const SLOW_SECONDS = { least: 1, most: 300 } as const;

/** So that alternating runs raise one alert. */
export const FAST_FOR_MS = 600_000;
/** A busy queue doesn't store each slow run. */
const REMEMBERED_MS = 60_000;

export interface Pace {
  isSlow: boolean;
  /** `Took 25 s, longer than 20 s.` */
  words: string;
}

export function judgePace(slowSeconds: number, durationMs: number): Pace {
  const limitMs = slowSeconds * 1000;
  const isSlow = durationMs > limitMs;
  const limit = isSlow ? `, longer than ${formatMilliseconds(limitMs)}` : '';
  return { isSlow, words: `Took ${formatMilliseconds(durationMs)}${limit}.` };
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
