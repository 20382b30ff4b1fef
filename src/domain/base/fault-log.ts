import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** A fault that lasts is logged at once, then at growing distances, and when it has ended. */
export class FaultLog {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #log: Log;
  readonly #event: string;
  readonly #level: 'warn' | 'error';
  /** Null: the last time it worked. */
  #fault: { sinceMs: number; times: number; nextLogMs: number; pauseMs: number } | null = null;

  constructor(
    clock: Pick<Clock, 'monotonicMs'>,
    log: Log,
    event: string,
    level: 'warn' | 'error' = 'warn',
  ) {
    this.#clock = clock;
    this.#log = log;
    this.#event = event;
    this.#level = level;
  }

  failed(error: unknown, fields: object = {}): void {
    const nowMs = this.#clock.monotonicMs();
    const fault = (this.#fault ??= {
      sinceMs: nowMs,
      times: 0,
      nextLogMs: nowMs,
      pauseMs: FIRST_PAUSE_MS,
    });
    fault.times++;
    if (nowMs < fault.nextLogMs) return;
    const { times, pauseMs } = fault;
    this.#log[this.#level](this.#event, { ...fields, error: (error as Error).message, times });
    fault.nextLogMs = nowMs + pauseMs;
    fault.pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }

  worked(fields: object = {}): void {
    if (this.#fault === null) return;
    const { sinceMs, times } = this.#fault;
    this.#fault = null;
    const seconds = Math.round((this.#clock.monotonicMs() - sinceMs) / 1000);
    this.#log.info('fault.ended', { fault: this.#event, ...fields, times, seconds });
  }
}
