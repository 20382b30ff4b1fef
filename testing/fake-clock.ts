import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '#domain/clock';

interface Sleeper {
  wakeAtMs: number;
  wake: () => void;
}

/** How many turns the event loop takes between two wake-ups, so that I/O of woken code can finish. */
const TURNS_BETWEEN_WAKES = 5;

/**
 * A clock that moves only when told, so that a test controls the time.
 *
 * Sleepers use the monotonic time, like timers: a jump of the wall clock wakes none.
 */
export class FakeClock implements Clock {
  #monotonicMs = 0;
  #wallOffsetMs: number;
  #sleepers: Sleeper[] = [];

  /** @param start an instant such as `2026-01-01T00:00:00Z`, or milliseconds since 1970 UTC */
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
    const sleeper = { wakeAtMs: this.#monotonicMs + Math.max(0, ms), wake };
    this.#sleepers.push(sleeper);
    return () => {
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
    };
  }

  /** The number of sleepers whose time has not come yet. */
  get waiting(): number {
    return this.#sleepers.length;
  }

  /**
   * Lets `ms` milliseconds pass: wakes each due sleeper at its own instant, earliest first, and lets the code that it
   * started run before the next one. New sleepers that become due within the same span are woken too.
   */
  async advance(ms: number): Promise<void> {
    const until = this.#monotonicMs + ms;
    await letWorkRun();
    for (let next = this.#takeNext(until); next !== null; next = this.#takeNext(until)) {
      this.#monotonicMs = Math.max(this.#monotonicMs, next.wakeAtMs);
      next.wake();
      await letWorkRun();
    }
    this.#monotonicMs = until;
    await letWorkRun();
  }

  /** Lets `ms` milliseconds pass as for a stopped process: sleepers that became due meanwhile wake only afterwards. */
  async freeze(ms: number): Promise<void> {
    this.#monotonicMs += ms;
    await this.advance(0);
  }

  /** Advances to a wall-clock instant, which must not be in the past. */
  async advanceTo(instant: string | number): Promise<void> {
    const ms = toInstant(instant) - this.now();
    if (ms < 0) throw new RangeError('a clock advances forwards; jumpTo sets it back');
    await this.advance(ms);
  }

  /** Sets the wall clock, as an administrator or a time server would. The monotonic time is not affected. */
  jumpTo(instant: string | number): void {
    this.#wallOffsetMs = toInstant(instant) - this.#monotonicMs;
  }

  #takeNext(untilMs: number): Sleeper | null {
    let next: Sleeper | null = null;
    for (const sleeper of this.#sleepers) {
      const isDue = sleeper.wakeAtMs <= untilMs;
      if (isDue && (next === null || sleeper.wakeAtMs < next.wakeAtMs)) next = sleeper;
    }
    if (next !== null) this.#sleepers.splice(this.#sleepers.indexOf(next), 1);
    return next;
  }
}

async function letWorkRun(): Promise<void> {
  for (let turn = 0; turn < TURNS_BETWEEN_WAKES; turn++) await nextTurn();
}

function toInstant(instant: string | number): number {
  const ms = typeof instant === 'number' ? instant : Date.parse(instant);
  if (Number.isNaN(ms)) throw new RangeError(`not an instant: ${instant}`);
  return ms;
}
