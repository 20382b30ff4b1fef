import { formatUtcMinute } from '../base/instant.ts';

/** Of a cron or queue. */
export interface Pause {
  isPaused: boolean;
  /** Then it ends automatically. Null: it has no end, or there is no pause. */
  pausedUntil: number | null;
}

/** Undefined: unchanged. */
export type PauseChange = { [Key in keyof Pause]?: Pause[Key] | undefined };

export const NOT_PAUSED: Pause = { isPaused: false, pausedUntil: null };

/** An end in the future pauses, whatever `isPaused` is; an end in the past resumes. */
export function settlePause({ isPaused, pausedUntil }: Pause, now: number): Pause {
  if (pausedUntil === null) return { isPaused, pausedUntil };
  return pausedUntil > now ? { isPaused: true, pausedUntil } : NOT_PAUSED;
}

/** A resume also removes the stored time, which a form sends back unchanged. */
export function changePause(before: Pause, change: PauseChange, now: number): Pause {
  const { isPaused = before.isPaused, pausedUntil = before.pausedUntil } = change;
  const isResumed = before.isPaused && !isPaused && pausedUntil === before.pausedUntil;
  return isResumed ? NOT_PAUSED : settlePause({ isPaused, pausedUntil }, now);
}

/** Of entries in the activity. */
export const PAUSE_ENDED = 'the pause ended';

/** `until 2026-12-31 18:00 UTC` */
export function describeUntil(pausedUntil: number): string {
  return `until ${formatUtcMinute(pausedUntil)} UTC`;
}
