import { DAY_MS } from '#domain/base/instant';
import type { Clock } from '#domain/base/clock';
import type { Log } from '#domain/base/log';

export const BLOCK_MS = 3_600_000;

/**
 * Blocks deletions for an hour after the clock jumped ahead by a day or more, so it can be corrected. A machine that
 * was suspended for days looks the same.
 */
export class ClockJumps {
  readonly #clock: Clock;
  readonly #log: Log;
  /** Wall time minus monotonic time; only jumps change it. */
  #offsetMs: number;
  /** Monotonic. */
  #blockedUntilMs = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#offsetMs = this.#readOffset();
  }

  /**
   * Call it at a start.
   * @param at when the service last ran at least `BLOCK_MS` ago; null for never
   */
  compareWith(at: number | null): void {
    if (at !== null) this.#block(this.#clock.now() - at);
  }

  blocksDeletions(): boolean {
    const offsetMs = this.#readOffset();
    this.#block(offsetMs - this.#offsetMs);
    this.#offsetMs = offsetMs;
    return this.#clock.monotonicMs() < this.#blockedUntilMs;
  }

  #block(aheadMs: number): void {
    if (aheadMs < DAY_MS) return;
    this.#blockedUntilMs = this.#clock.monotonicMs() + BLOCK_MS;
    const days = Math.round((aheadMs / DAY_MS) * 10) / 10;
    this.#log.warn('clock.jumped', { days, deletesNothingForMinutes: BLOCK_MS / 60_000 });
  }

  #readOffset(): number {
    return this.#clock.now() - this.#clock.monotonicMs();
  }
}
