import { type Clock, wakeAt } from '#domain/base/clock';

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const realClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(ms, wake) {
    const timer = setTimeout(wake, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
  at: (instant, wake) => wakeAt(realClock, instant, wake),
};
