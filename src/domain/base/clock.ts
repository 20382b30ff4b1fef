/** Time, passed in as a parameter, so that tests control it. Instants are milliseconds since 1970 UTC, everywhere. */
export interface Clock {
  /** The wall clock may jump: never subtract two of these. */
  now(): number;
  /** Never jumps; for durations and timeouts. */
  monotonicMs(): number;
  after(ms: number, wake: () => void): () => void;
  /** Wakes once when the wall clock has reached `instant`; never for `Infinity`. */
  at(instant: number, wake: () => void): () => void;
}

export function pause(clock: Pick<Clock, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/** The wall clock may be set meanwhile. */
const LONGEST_SLEEP_MS = 1_000;

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
