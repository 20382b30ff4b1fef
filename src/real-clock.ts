import type { Clock } from '#domain/clock';

/** The longest wait that a timer takes; above it, it would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The process's own clock: made here and handed to whoever needs the time. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(ms, wake) {
    const timer = setTimeout(wake, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
