import type { Clock } from '#domain/base/clock';

/** Ids become visible out of order, at their commits. No transaction lasts longer than this. */
const SETTLED_AFTER_MS = 60_000;
/** Between two sweeps from the beginning: a commit that waits for a replica may take any time. */
const ALL_EVERY_MS = 600_000;
/** Doubles while a sweep leaves rows or fails. */
const LEAST_PAUSE_MS = 5_000;

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
  #pauseMs = LEAST_PAUSE_MS;
  #wholeEveryMs = SETTLED_AFTER_MS;
  #isSomethingLeft = false;
  #sweep = { atMs: -Infinity, isWhole: false, leavesRows: false };

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
    this.#sweep = { atMs, isWhole, leavesRows: false };
    return isWhole ? 0 : this.#floor;
  }

  leave(): void {
    this.#sweep.leavesRows = true;
  }

  end(lastId: number): void {
    const { atMs, isWhole, leavesRows } = this.#sweep;
    if (leavesRows) this.#repeat();
    else if (isWhole) {
      this.#isSomethingLeft = false;
      this.#pauseMs = LEAST_PAUSE_MS;
      this.#wholeAtMs = atMs + this.#wholeEveryMs;
      this.#wholeEveryMs = ALL_EVERY_MS;
    }
    // The mark becomes the floor once a sweep has begun at a time when all lower ids were visible.
    if (this.#mark !== null && atMs - this.#mark.atMs >= SETTLED_AFTER_MS) {
      this.#floor = Math.max(this.#mark.id, this.#floor);
      this.#mark = null;
    }
    this.#mark ??= { id: lastId, atMs: this.#clock.monotonicMs() };
  }

  fail(): void {
    if (this.#sweep.isWhole) this.#repeat();
  }

  #repeat(): void {
    if (this.#isSomethingLeft && !this.#sweep.isWhole) return;
    this.#isSomethingLeft = true;
    const nextMs = this.#clock.monotonicMs() + this.#pauseMs;
    this.#wholeAtMs = this.#sweep.isWhole ? nextMs : Math.min(this.#wholeAtMs, nextMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, ALL_EVERY_MS);
  }
}
