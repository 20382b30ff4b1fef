import { ChurningSet, type Indexed } from '#domain/base/churning-set';
import type { Clock } from '#domain/base/clock';

const BEAT_MS = 50;
/** More than this between two beats counts as a standstill. */
const BETWEEN_BEATS_MS = 100;

interface Sleeper extends Indexed {
  readonly wake: () => void;
  /** On the live clock. */
  readonly untilMs: number;
  /** On the underlying clock. */
  lookAtMs: number;
  /** How much standstills may still delay it. */
  mostToAddMs: number;
}

/**
 * Stops while this process is blocked or frozen: that time must not end an attempt, nor count as its duration.
 *
 * One timer serves all: it beats while there are waiters, and fires exactly at the next time limit.
 */
export class LiveClock implements Pick<Clock, 'monotonicMs' | 'after'> {
  readonly #clock: Clock;
  readonly #sleepers = new ChurningSet<Sleeper>();
  /** No sleeper has to be looked at earlier. */
  #nearestMs = Infinity;
  #beatsNextAtMs = 0;
  #pastStandstillsMs = 0;
  #beatAtMs = 0;
  #cancelBeat: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Never goes back. */
  monotonicMs(): number {
    const nowMs = this.#clock.monotonicMs();
    return nowMs - this.#stoodStillMsAt(nowMs);
  }

  /** Measured only while there are waiters. */
  get stoodStillMs(): number {
    return this.#stoodStillMsAt(this.#clock.monotonicMs());
  }

  /** Standstills delay it by at most `ms`. Sockets are read once more before, so data that has arrived is in time. */
  after(ms: number, wake: () => void): () => void {
    const nowMs = this.#clock.monotonicMs();
    const untilMs = nowMs - this.#stoodStillMsAt(nowMs) + ms;
    const sleeper = { wake, untilMs, lookAtMs: nowMs + ms, mostToAddMs: ms, setIndex: -1 };
    this.#sleepers.add(sleeper);
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

  /** False if it was removed before. */
  #remove(sleeper: Sleeper): boolean {
    const isWaiting = this.#sleepers.delete(sleeper);
    if (this.#sleepers.size === 0) this.#rest();
    return isWaiting;
  }

  #rest(): void {
    this.#pastStandstillsMs = this.stoodStillMs;
    this.#cancelBeat?.();
    this.#cancelBeat = null;
    this.#nearestMs = Infinity;
  }
}
