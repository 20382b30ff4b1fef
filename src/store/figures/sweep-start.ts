import type { Clock } from '#domain/clock';

/**
 * Longer than a transaction may take. An id is given out at an insert, and seen at its commit. So this long after an id
 * was seen, all lower ones can be seen too.
 */
const SETTLED_AFTER_MS = 60_000;
/** After this time everything is looked at again, because a commit that waits for a replica may take any time. */
const ALL_EVERY_MS = 600_000;
/** The pause before a sweep looks back again. It doubles while something is left. */
const LEAST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = ALL_EVERY_MS;

/**
 * The id from which a sweep over a table with ascending ids begins. While an old snapshot exists, the index on Postgres
 * keeps entries of deleted rows. A sweep from the beginning passes all of them, and after some hours exceeds the
 * statement's time limit. So most sweeps begin with the lowest id that may be new. Now and then a sweep looks back: to
 * rows that an earlier one has left, and to the beginning. While it leaves rows again or fails, it is repeated after
 * longer and longer pauses.
 */
export class SweepStart {
  readonly #clock: Clock;
  /** All lower ids were seen or left. */
  #floor: number;
  /** The last id that some sweep has seen, and when; it becomes the floor. */
  #mark: { id: number; atMs: number } | null = null;
  /** The lowest id that was left; null if none was. */
  #leftId: number | null = null;
  /** When a sweep looks back to it. */
  #backAtMs = -Infinity;
  #pauseMs = LEAST_PAUSE_MS;
  /** When a sweep looks at everything. */
  #allAtMs: number | null = null;
  /** The sweep under way: when it began, whether it looks back, and the lowest id that it has left. */
  #sweep = { atMs: -Infinity, looksBack: false, leftId: Infinity };

  /** @param lastId  the last id that was given out; lower ones are found by looking back */
  constructor(clock: Clock, lastId: number) {
    this.#clock = clock;
    this.#floor = lastId;
  }

  get isSomethingLeft(): boolean {
    return this.#leftId !== null;
  }

  /** Gives the first id to look at. */
  begin(): number {
    const atMs = this.#clock.monotonicMs();
    if (this.#allAtMs === null || atMs >= this.#allAtMs) {
      this.#allAtMs = atMs + (this.#allAtMs === null ? SETTLED_AFTER_MS : ALL_EVERY_MS);
      this.#leftId = 0;
    }
    const looksBack = this.#leftId !== null && atMs >= this.#backAtMs;
    this.#sweep = { atMs, looksBack, leftId: Infinity };
    return looksBack ? Math.min(this.#leftId ?? Infinity, this.#floor) : this.#floor;
  }

  /** Notes that the sweep under way leaves a row. */
  leave(id: number): void {
    this.#sweep.leftId = Math.min(id, this.#sweep.leftId);
  }

  /** @param lastId  the last id that the sweep has seen */
  end(lastId: number): void {
    const { looksBack, leftId } = this.#sweep;
    if (looksBack) this.#endLookingBack();
    else if (this.#leftId !== null) this.#leftId = Math.min(leftId, this.#leftId);
    else if (leftId < Infinity) this.#lookBackLater(leftId);
    this.#raiseFloor(lastId);
  }

  /** @param nextId  the first id that the sweep has not seen */
  fail(nextId: number): void {
    this.leave(nextId);
    if (this.#sweep.looksBack) this.#endLookingBack();
  }

  #endLookingBack(): void {
    const { leftId } = this.#sweep;
    if (leftId < Infinity) {
      this.#lookBackLater(leftId);
    } else {
      this.#leftId = null;
      this.#pauseMs = LEAST_PAUSE_MS;
    }
  }

  #lookBackLater(leftId: number): void {
    this.#leftId = leftId;
    this.#backAtMs = this.#clock.monotonicMs() + this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  /** The mark becomes the floor when a sweep has begun at a time at which it could see all that is lower. */
  #raiseFloor(lastId: number): void {
    if (this.#mark !== null && this.#sweep.atMs - this.#mark.atMs >= SETTLED_AFTER_MS) {
      this.#floor = Math.max(this.#mark.id, this.#floor);
      this.#mark = null;
    }
    this.#mark ??= { id: lastId, atMs: this.#clock.monotonicMs() };
  }
}
