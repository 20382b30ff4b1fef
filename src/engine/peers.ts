import type { NodeBeat } from '#store/nodes/nodes';

interface Seen {
  beat: number;
  /** When this beat was first seen, by this process's monotonic clock. */
  sinceMs: number;
}

/**
 * Decides which other nodes are dead: those whose beat stood still for a whole lease during which this node looked
 * again and again. Only time that passes here counts, so no clock can step anybody out of its lease, and time in
 * which this node itself could not look counts for nothing: the others may have been cut off just like it.
 */
export class Peers {
  readonly #leaseMs: number;
  #seen = new Map<string, Seen>();
  #askedAtMs = -Infinity;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** Takes in one look at the others; both times by the monotonic clock. Gives those that are dead. */
  findDead(others: readonly NodeBeat[], askedAtMs: number, answeredAtMs: number): NodeBeat[] {
    if (askedAtMs - this.#askedAtMs > this.#leaseMs / 2) this.#seen.clear();
    this.#askedAtMs = askedAtMs;
    this.#seen = new Map(
      others.map(({ id, beat }) => {
        const before = this.#seen.get(id);
        return [id, before?.beat === beat ? before : { beat, sinceMs: answeredAtMs }];
      }),
    );
    return others.filter(({ id }) => {
      const sinceMs = this.#seen.get(id)?.sinceMs ?? askedAtMs;
      return askedAtMs - sinceMs >= this.#leaseMs;
    });
  }

  /** A look failed: the whole lease is counted anew. */
  loseContact(): void {
    this.#seen.clear();
  }
}
