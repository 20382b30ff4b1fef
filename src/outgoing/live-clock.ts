import type { Clock } from '#domain/clock';

/** How often it is looked whether the process still runs, in milliseconds. */
const BEAT_MS = 50;
/** What may lie between two beats of a process that runs, in milliseconds; what is more does not count. */
const BETWEEN_BEATS_MS = 100;

/**
 * A clock on which no time passes while this process stands still: its event loop was held up, or it was
 * frozen. What a target had no chance to be heard in may neither end an attempt nor count as its duration.
 *
 * It beats only while somebody waits on it; before and after that it goes like the clock that it is made of.
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

  /** Goes forwards only, and slower than others where the process stood still. */
  monotonicMs(): number {
    const nowMs = this.#clock.monotonicMs();
    return nowMs - this.#stoodStillMsAt(nowMs);
  }

  /** How long the process has stood still so far. Only measured while somebody waits. */
  get stoodStillMs(): number {
    return this.#stoodStillMsAt(this.#clock.monotonicMs());
  }

  /**
   * Wakes once `ms` milliseconds have passed on this clock, but adds no more than `ms` again, however often
   * the process stands still. Sockets are read once more before: what has arrived by then is in time.
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
