import type { Clock } from '#domain/base/clock';

/** Ids become visible out of order, at their commits. No transaction lasts longer than this. */
const SETTLED_AFTER_MS = 60_000;
/** Between two sweeps from the beginning: a commit that waits for a replica may take any time. */
const ALL_EVERY_MS = 600_000;
/** The same, after a sweep that left rows or failed. */
const REST_EVERY_MS = 120_000;

/**
 * While an old snapshot exists, the index keeps entries of deleted rows, and a sweep from the
 * beginning exceeds the time limit after some hours. So most sweeps begin at the floor, the
 * lowest id that may be new.
 */
export class SweepStart {
  readonly #clock: Clock;
  /** All lower ids were seen. */
  #floor: number;
  /** The last id of some sweep. */
  #mark: { id: number; atMs: number } | null = null;
  #wholeAtMs = -Infinity;
  #sweep = { atMs: -Infinity, isWhole: false };
  #isSomethingLeft = false;

  constructor(clock: Clock, lastId: number) {
    this.#clock = clock;
    this.#floor = lastId;
  }

  get isSomethingLeft(): boolean {
    return this.#isSomethingLeft;
  }

  begin(): number {
    const atMs = this.#clock.monotonicMs();
    const isWhole = atMs >= this.#wholeAtMs;
    this.#sweep = { atMs, isWhole };
    if (!isWhole) return this.#floor;
    this.#isSomethingLeft = true;
    this.#wholeAtMs = atMs + REST_EVERY_MS;
    return 0;
  }

  /** Not called for a sweep that failed. */
  end(lastId: number, leavesRows: boolean): void {
    const { atMs, isWhole } = this.#sweep;
    if (leavesRows) {
      this.#isSomethingLeft = true;
      this.#wholeAtMs = Math.min(this.#wholeAtMs, atMs + REST_EVERY_MS);
    } else if (isWhole) {
      this.#isSomethingLeft = false;
      this.#wholeAtMs = atMs + ALL_EVERY_MS;
    }
    // The mark becomes the floor once a sweep has begun at a time when all lower ids were visible.
    if (this.#mark !== null && atMs - this.#mark.atMs >= SETTLED_AFTER_MS) {
      this.#floor = Math.max(this.#mark.id, this.#floor);
      this.#mark = null;
    }
    this.#mark ??= { id: lastId, atMs: this.#clock.monotonicMs() };
  }
}
