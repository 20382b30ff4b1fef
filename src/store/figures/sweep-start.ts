import type { Clock } from '#domain/clock';

/**
 * Longer than a transaction may take. An id is given out at an insert, and seen at its commit; one that was last seen
 * so long ago has no lower one to come.
 */
const SETTLED_AFTER_MS = 60_000;
/** After this time everything is looked at again: what a process that stood still wrote late. */
const ALL_EVERY_MS = 600_000;
/** The pause before a look back that failed is repeated. It doubles with each failure. */
const LEAST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = ALL_EVERY_MS;

interface Mark {
  id: number;
  atMs: number;
}

/**
 * From which id a sweep over a table with ascending ids begins. On Postgres the index keeps entries of deleted rows
 * beside an old snapshot; a sweep from the beginning would pass all of them each time, and beside one of some hours it
 * would hit the statement's time limit. So most sweeps begin where no lower id is still to come. A sweep that looks
 * back begins further down; if it fails, the next ones don't, until a pause is over.
 */
export class SweepStart {
  readonly #clock: Clock;
  /** The ends of sweeps, the older one at least `SETTLED_AFTER_MS` before the newer. */
  #older: Mark;
  #newer: Mark;
  /** The lowest id that may have been left, and when a sweep begins with it; null where none was. */
  #leftId: number | null = null;
  #backAtMs = -Infinity;
  #pauseMs = LEAST_PAUSE_MS;
  #allAtMs = -Infinity;
  /** Whether the sweep under way looks back. */
  #looksBack = false;

  /** @param lastId  the last id that was given out; what is below is found by looking back */
  constructor(clock: Clock, lastId: number) {
    this.#clock = clock;
    this.#older = { id: lastId, atMs: -Infinity };
    this.#newer = this.#older;
  }

  /** Whether something may lie below where most sweeps begin. */
  get isSomethingLeft(): boolean {
    return this.#leftId !== null;
  }

  /** Gives the first id to look at. */
  begin(): number {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#allAtMs) {
      this.#allAtMs = nowMs + ALL_EVERY_MS;
      this.#leftId = 0;
    }
    const firstId = nowMs - this.#newer.atMs >= SETTLED_AFTER_MS ? this.#newer.id : this.#older.id;
    this.#looksBack = this.#leftId !== null && nowMs >= this.#backAtMs;
    return this.#looksBack ? Math.min(this.#leftId ?? firstId, firstId) : firstId;
  }

  /** @param lastId  the last id that the sweep has seen */
  end(lastId: number): void {
    if (this.#looksBack) {
      this.#leftId = null;
      this.#pauseMs = LEAST_PAUSE_MS;
    }
    const atMs = this.#clock.monotonicMs();
    if (atMs - this.#newer.atMs < SETTLED_AFTER_MS) return;
    this.#older = this.#newer;
    this.#newer = { id: Math.max(lastId, this.#newer.id), atMs };
  }

  /** @param nextId  the first id that the sweep has not seen */
  fail(nextId: number): void {
    if (!this.#looksBack) return;
    this.#leftId = nextId;
    this.#backAtMs = this.#clock.monotonicMs() + this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
