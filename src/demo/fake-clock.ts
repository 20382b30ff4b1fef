import type { Clock } from '#domain/base/clock';

interface Sleeper {
  /** Monotonic. Setting the wall clock changes it for sleepers until an instant. */
  wakeAtMs: () => number;
  wake: () => void;
}

/** I/O of woken code can finish between two wake-ups. */
const ITERATIONS_BETWEEN_WAKES = 5;

/**
 * A clock that a test moves.
 *
 * `after` uses monotonic time, like timers: a jump of the wall clock wakes none. Sleepers until a passed instant wake
 * when time goes on.
 */
export class FakeClock implements Clock {
  #monotonicMs = 0;
  #wallOffsetMs: number;
  #sleepers: Sleeper[] = [];

  /** @param start `2026-01-01T00:00:00Z`, or milliseconds since 1970 UTC */
  constructor(start: string | number) {
    this.#wallOffsetMs = toInstant(start);
  }

  now(): number {
    return this.#wallOffsetMs + this.#monotonicMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(ms: number, wake: () => void): () => void {
    const wakeAtMs = this.#monotonicMs + Math.max(0, ms);
    return this.#sleep({ wakeAtMs: () => wakeAtMs, wake });
  }

  at(instant: number, wake: () => void): () => void {
    if (instant === Infinity) return () => {};
    return this.#sleep({ wakeAtMs: () => instant - this.#wallOffsetMs, wake });
  }

  #sleep(sleeper: Sleeper): () => void {
    this.#sleepers.push(sleeper);
    return () => {
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
    };
  }

  get waiting(): number {
    return this.#sleepers.length;
  }

  /**
   * Wakes each due sleeper at its own instant, earliest first, and lets its code run before the next. New sleepers
   * within the span are woken too.
   */
  async advance(ms: number): Promise<void> {
    const until = this.#monotonicMs + ms;
    await letWorkRun();
    for (let next = this.#takeNext(until); next !== null; next = this.#takeNext(until)) {
      this.#monotonicMs = Math.max(this.#monotonicMs, next.wakeAtMs());
      next.wake();
      await letWorkRun();
    }
    this.#monotonicMs = Math.max(this.#monotonicMs, until);
    await letWorkRun();
  }

  /** As for a stopped process: sleepers that became due wake afterwards. */
  async freeze(ms: number): Promise<void> {
    this.#monotonicMs += ms;
    await this.advance(0);
  }

  /** The instant must not be in the past. */
  async advanceTo(instant: string | number): Promise<void> {
    const ms = toInstant(instant) - this.now();
    if (ms < 0) throw new RangeError('a clock advances forwards; jumpTo sets it back');
    await this.advance(ms);
  }

  /** The monotonic time isn't affected. */
  jumpTo(instant: string | number): void {
    this.#wallOffsetMs = toInstant(instant) - this.#monotonicMs;
  }

  #takeNext(untilMs: number): Sleeper | null {
    let next: Sleeper | null = null;
    for (const sleeper of this.#sleepers) {
      const isDue = sleeper.wakeAtMs() <= untilMs;
      if (isDue && (next === null || sleeper.wakeAtMs() < next.wakeAtMs())) next = sleeper;
    }
    if (next !== null) this.#sleepers.splice(this.#sleepers.indexOf(next), 1);
    return next;
  }
}

/** One promise for all iterations: hours of a clock are ten thousands of wake-ups. */
function letWorkRun(): Promise<void> {
  return new Promise((resolve) => {
    let iterations = 0;
    const nextIteration = () => {
      iterations += 1;
      if (iterations < ITERATIONS_BETWEEN_WAKES) setImmediate(nextIteration);
      else resolve();
    };
    setImmediate(nextIteration);
  });
}

function toInstant(instant: string | number): number {
  const ms = typeof instant === 'number' ? instant : Date.parse(instant);
  if (Number.isNaN(ms)) throw new RangeError(`not an instant: ${instant}`);
  return ms;
}
