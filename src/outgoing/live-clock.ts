import type { Clock } from '#domain/clock';

/** How often the clock checks that the process still runs, in milliseconds. */
const BEAT_MS = 50;
/** The most time between two beats that counts as running, in milliseconds. The rest counts as a standstill. */
const BETWEEN_BEATS_MS = 100;

/**
 * A clock that stops while this process stands still, because its event loop was blocked or it was frozen. Time in
 * which a target could not be heard must not end an attempt, nor count as its duration.
 *
 * It beats only while somebody waits on it. Otherwise it runs like the underlying clock.
 */
export class LiveClock implements Clock {
  readonly #clock: Clock;
  #waiting = 0;
  #pastStandstillsMs = 0;
  #beatAtMs = 0;
  #cancelBeat: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  at(instant: number, wake: () => void): () => void {
    return this.#clock.at(instant, wake);
  }

  /** Never goes back. Runs slower than other clocks if the process stood still. */
  monotonicMs(): number {
    const nowMs = this.#clock.monotonicMs();
    return nowMs - this.#stoodStillMsAt(nowMs);
  }

  /** For how long the process has stood still so far. This is measured only while somebody waits. */
  get stoodStillMs(): number {
    return this.#stoodStillMsAt(this.#clock.monotonicMs());
  }

  /**
   * Calls `wake` once `ms` milliseconds have passed on this clock. Standstills delay it by `ms` in all at the most.
   * Sockets are read once more before `wake` runs, so data that arrived in the meantime is still in time.
   */
  after(ms: number, wake: () => void): () => void {
    this.#grant();
    const untilMs = this.monotonicMs() + ms;
    let mostToAddMs = ms;
    let isOver = false;
    let cancel = () => {};
    const leave = () => {
      if (isOver) return;
      isOver = true;
      cancel();
      this.#leave();
    };
    const look = () => {
      const leftMs = Math.min(untilMs - this.monotonicMs(), mostToAddMs);
      mostToAddMs -= leftMs;
      if (leftMs >= 1) return void (cancel = this.#clock.after(leftMs, look));
      setImmediate(() => {
        if (isOver) return;
        leave();
        wake();
      });
    };
    cancel = this.#clock.after(ms, look);
    return leave;
  }

  #stoodStillMsAt(nowMs: number): number {
    return this.#pastStandstillsMs + this.#excess(nowMs);
  }

  #excess(nowMs: number): number {
    if (this.#cancelBeat === null) return 0;
    return Math.max(0, nowMs - this.#beatAtMs - BETWEEN_BEATS_MS);
  }

  #grant(): void {
    this.#waiting++;
    if (this.#waiting === 1) this.#beat();
  }

  #leave(): void {
    this.#waiting--;
    if (this.#waiting > 0) return;
    this.#pastStandstillsMs = this.stoodStillMs;
    this.#cancelBeat?.();
    this.#cancelBeat = null;
  }

  #beat(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#pastStandstillsMs += this.#excess(nowMs);
    this.#beatAtMs = nowMs;
    this.#cancelBeat = this.#clock.after(BEAT_MS, () => this.#beat());
  }
}
