import type { Clock } from '#domain/clock';

/**
 * Longer than a transaction may take. An id is given out at an insert, and seen at its commit; one that was last seen
 * so long ago has no lower one to come.
 */
const SETTLED_AFTER_MS = 60_000;
/** After this time everything is looked at again: what was held, and what a process that stood still wrote late. */
const ALL_EVERY_MS = 600_000;

interface Mark {
  id: number;
  atMs: number;
}

/**
 * From which id a sweep over a table with ascending ids begins. On Postgres the index keeps entries of deleted rows
 * beside an old snapshot; a sweep from the beginning would pass all of them each time.
 */
export class SweepStart {
  readonly #clock: Clock;
  /** The ends of sweeps, the older one at least `SETTLED_AFTER_MS` before the newer. */
  #older: Mark = { id: 0, atMs: -Infinity };
  #newer: Mark = { id: 0, atMs: -Infinity };
  #allAtMs = -Infinity;
  #isWhole = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Gives the first id to look at. */
  begin(): number {
    const nowMs = this.#clock.monotonicMs();
    this.#isWhole = nowMs >= this.#allAtMs;
    if (this.#isWhole) return 0;
    return nowMs - this.#newer.atMs >= SETTLED_AFTER_MS ? this.#newer.id : this.#older.id;
  }

  /** @param lastId  the last id that the sweep has seen */
  end(lastId: number): void {
    const atMs = this.#clock.monotonicMs();
    if (this.#isWhole) this.#allAtMs = atMs + ALL_EVERY_MS;
    if (atMs - this.#newer.atMs < SETTLED_AFTER_MS) return;
    this.#older = this.#newer;
    this.#newer = { id: Math.max(lastId, this.#newer.id), atMs };
  }
}
