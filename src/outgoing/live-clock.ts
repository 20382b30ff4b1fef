import type { Clock } from '#domain/clock';

/** How often the clock checks that the process still runs, in milliseconds. */
const BEAT_MS = 50;
/** The most time between two beats that counts as running, in milliseconds. The rest counts as a standstill. */
const BETWEEN_BEATS_MS = 100;

/** A waiter for a time limit. */
interface Sleeper {
  readonly wake: () => void;
  /** When to wake, on the live clock. */
  readonly untilMs: number;
  /** When to look whether it is time, on the underlying clock. */
  lookAtMs: number;
  /** By how much standstills may still delay it. */
  mostToAddMs: number;
  /** Its place in the list. */
  at: number;
}

/**
 * A clock that stops while this process is blocked or frozen. That time must not end an attempt, nor count as its
 * duration.
 *
 * One timer serves all: it beats while there are waiters, and fires exactly at the next time limit. Without waiters
 * this clock runs like the underlying one.
 */
export class LiveClock implements Pick<Clock, 'monotonicMs' | 'after'> {
  readonly #clock: Clock;
  /** In no order. A set would be slower, and its tables would keep removed sleepers alive for a while. */
  readonly #sleepers: Sleeper[] = [];
  /** No sleeper has to be looked at earlier. */
  #nearestMs = Infinity;
  #beatsNextAtMs = 0;
  #pastStandstillsMs = 0;
  #beatAtMs = 0;
  #cancelBeat: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Never goes back. Runs slower than other clocks if the process was blocked. */
  monotonicMs(): number {
    const nowMs = this.#clock.monotonicMs();
    return nowMs - this.#stoodStillMsAt(nowMs);
  }

  /** How long the process has been blocked so far. Measured only while there are waiters. */
  get stoodStillMs(): number {
    return this.#stoodStillMsAt(this.#clock.monotonicMs());
  }

  /**
   * Calls `wake` once `ms` milliseconds have passed on this clock. Standstills delay it by `ms` in all at the most.
   * Sockets are read once more before `wake` runs, so data that arrived in the meantime is still in time.
   */
  after(ms: number, wake: () => void): () => void {
    const nowMs = this.#clock.monotonicMs();
    const untilMs = nowMs - this.#stoodStillMsAt(nowMs) + ms;
    const at = this.#sleepers.length;
    const sleeper = { wake, untilMs, lookAtMs: nowMs + ms, mostToAddMs: ms, at };
    this.#sleepers.push(sleeper);
    this.#nearestMs = Math.min(this.#nearestMs, sleeper.lookAtMs);
    if (this.#cancelBeat === null) this.#beat(nowMs);
    else if (this.#nearestMs < this.#beatsNextAtMs) this.#plan(nowMs);
    return () => void this.#remove(sleeper);
  }

  #stoodStillMsAt(nowMs: number): number {
    return this.#pastStandstillsMs + this.#excess(nowMs);
  }

  #excess(nowMs: number): number {
    if (this.#cancelBeat === null) return 0;
    return Math.max(0, nowMs - this.#beatAtMs - BETWEEN_BEATS_MS);
  }

  #beat(nowMs: number): void {
    this.#pastStandstillsMs += this.#excess(nowMs);
    this.#beatAtMs = nowMs;
    if (this.#nearestMs - nowMs < 1) this.#look(nowMs);
    this.#plan(nowMs);
  }

  #plan(nowMs: number): void {
    this.#cancelBeat?.();
    this.#beatsNextAtMs = Math.min(this.#beatAtMs + BEAT_MS, this.#nearestMs);
    this.#cancelBeat = this.#clock.after(this.#beatsNextAtMs - nowMs, () =>
      this.#beat(this.#clock.monotonicMs()),
    );
  }

  #look(nowMs: number): void {
    const liveMs = nowMs - this.#pastStandstillsMs;
    const due: Sleeper[] = [];
    this.#nearestMs = Infinity;
    for (const sleeper of this.#sleepers) {
      if (sleeper.lookAtMs - nowMs < 1) {
        const leftMs = Math.min(sleeper.untilMs - liveMs, sleeper.mostToAddMs);
        if (leftMs < 1) due.push(sleeper);
        sleeper.mostToAddMs -= leftMs;
        sleeper.lookAtMs = leftMs < 1 ? Infinity : nowMs + leftMs;
      }
      this.#nearestMs = Math.min(this.#nearestMs, sleeper.lookAtMs);
    }
    setImmediate(() => {
      for (const sleeper of due) if (this.#remove(sleeper)) sleeper.wake();
    });
  }

  /** Returns false if it was removed before. */
  #remove(sleeper: Sleeper): boolean {
    if (this.#sleepers[sleeper.at] !== sleeper) return false;
    const last = this.#sleepers.pop();
    if (last !== undefined && last !== sleeper) {
      this.#sleepers[sleeper.at] = last;
      last.at = sleeper.at;
    }
    if (this.#sleepers.length === 0) this.#rest();
    return true;
  }

  #rest(): void {
    this.#pastStandstillsMs = this.stoodStillMs;
    this.#cancelBeat?.();
    this.#cancelBeat = null;
    this.#nearestMs = Infinity;
  }
}
