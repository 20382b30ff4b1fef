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
}
