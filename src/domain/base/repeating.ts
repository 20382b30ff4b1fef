import type { Clock } from './clock.ts';
import { FaultLog } from './fault-log.ts';
import type { Log } from './log.ts';

/** Each step comes after the pause that the previous one returned. */
export class Repeating {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #faults: FaultLog | null;
  readonly #step: () => Promise<number | null>;
  readonly #failedPauseMs: number;
  #cancel: (() => void) | null = null;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  /** `start` was called during a step: the pause after it is no longer than this. */
  #againMs = Infinity;
  #stopped = false;

  /**
   * @param failure the logged event (`FaultLog`); null for none
   * @param step returns the pause in milliseconds; null for no further step
   */
  constructor(
    clock: Pick<Clock, 'after' | 'monotonicMs'>,
    log: Log,
    failure: string | null,
    step: () => Promise<number | null>,
    failedPauseMs = 5_000,
  ) {
    this.#clock = clock;
    this.#faults = failure === null ? null : new FaultLog(clock, log, failure);
    this.#step = step;
    this.#failedPauseMs = failedPauseMs;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Does nothing if a step is planned. */
  start(inMs = 0): void {
    if (this.#isRunning) this.#againMs = Math.min(this.#againMs, inMs);
    else if (this.#cancel === null) this.#plan(inMs);
  }

  /** Begins a step now, or right after the one under way. */
  wake(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#running;
  }

  #plan(inMs: number): void {
    if (this.#stopped) return;
    if (inMs === 0) return this.#begin();
    this.#cancel = this.#clock.after(inMs, () => this.#begin());
  }

  #begin(): void {
    this.#cancel = null;
    this.#againMs = Infinity;
    this.#isRunning = true;
    this.#running = this.#take().then((pauseMs) => {
      this.#isRunning = false;
      const nextMs = Math.min(pauseMs ?? Infinity, this.#againMs);
      if (nextMs < Infinity) this.#plan(nextMs);
    });
  }

  async #take(): Promise<number | null> {
    try {
      const pauseMs = await this.#step();
      this.#faults?.worked();
      return pauseMs;
    } catch (error) {
      this.#faults?.failed(error);
      return this.#failedPauseMs;
    }
  }
}
