/**
 * Time, handed in. Only real-clock.ts has the real one; a test owns the whole timeline.
 * Instants are milliseconds since 1970 UTC, everywhere.
 */
export interface Clock {
  /** The wall clock, in milliseconds since 1970 UTC. It may jump; never subtract two of these. */
  now(): number;
  /** Milliseconds on a clock that never jumps, for durations and timeouts. */
  monotonicMs(): number;
  /** Calls `wake` once after `ms` milliseconds; the returned function calls it off. */
  after(ms: number, wake: () => void): () => void;
}
