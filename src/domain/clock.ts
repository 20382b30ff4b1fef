/**
 * The source of time, passed in as a parameter. Only real-clock.ts reads the real clock; a test controls the whole
 * timeline. Instants are milliseconds since 1970 UTC, everywhere.
 */
export interface Clock {
  /** The wall clock, in milliseconds since 1970 UTC. It may jump; never subtract two of these. */
  now(): number;
  /** Milliseconds on a clock that never jumps, for durations and timeouts. */
  monotonicMs(): number;
  /** Calls `wake` once after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, wake: () => void): () => void;
  /**
   * Calls `wake` once when the wall clock has reached `instant`, in milliseconds since 1970 UTC; for `Infinity` never.
   * The returned function cancels it.
   */
  at(instant: number, wake: () => void): () => void;
}

/** The longest sleep until an instant: the wall clock may be set meanwhile. */
const LONGEST_SLEEP_MS = 1_000;

/** `at` of a clock that can be set: looks at it every second. */
export function wakeAt(
  clock: Pick<Clock, 'now' | 'after'>,
  instant: number,
  wake: () => void,
): () => void {
  if (instant === Infinity) return () => {};
  let cancel = () => {};
  const sleep = (leftMs: number) => {
    cancel = clock.after(Math.min(Math.max(leftMs, 1), LONGEST_SLEEP_MS), look);
  };
  const look = () => {
    const leftMs = instant - clock.now();
    if (leftMs > 0) sleep(leftMs);
    else wake();
  };
  sleep(instant - clock.now());
  return () => cancel();
}
