import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';

const DAY_MS = 86_400_000;
/** For so long a clock that has jumped is not believed. */
export const HOLD_MS = 3_600_000;

/**
 * Whether the wall clock can be trusted for deletions: not for an hour after it has jumped ahead by a day or more, so
 * that an operator or a time server can correct it. A machine that was suspended for days looks the same, and waits for
 * the hour, too.
 */
export class ClockJumps {
  readonly #clock: Clock;
  readonly #log: Log;
  /** Wall time minus monotonic time when it was last looked at; it changes by jumps alone. */
  #offsetMs: number;
  /** Monotonic. */
  #heldUntilMs = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#offsetMs = this.#readOffset();
  }

  /**
   * To be called at a start.
   *
   * @param at  when the service last ran at least `HOLD_MS` ago, in ms since 1970 UTC; null for never
   */
  compareWith(at: number | null): void {
    if (at !== null) this.#hold(this.#clock.now() - at);
  }

  /** Compares the clock with the last look, and starts the hour if it has jumped. */
  isHeld(): boolean {
    const offsetMs = this.#readOffset();
    this.#hold(offsetMs - this.#offsetMs);
    this.#offsetMs = offsetMs;
    return this.#clock.monotonicMs() < this.#heldUntilMs;
  }

  #hold(aheadMs: number): void {
    if (aheadMs < DAY_MS) return;
    this.#heldUntilMs = this.#clock.monotonicMs() + HOLD_MS;
    const days = Math.round((aheadMs / DAY_MS) * 10) / 10;
    this.#log.warn('clock.jumped', { days, deletesNothingForMinutes: HOLD_MS / 60_000 });
  }

  #readOffset(): number {
    return this.#clock.now() - this.#clock.monotonicMs();
  }
}
