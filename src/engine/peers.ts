import type { NodeBeat } from '#store/nodes/nodes';

interface Seen {
  beat: number;
  /** On this process's monotonic clock. */
  sinceMs: number;
}

/**
 * A node is dead if it is gone, or if its beat didn't change for a whole lease while this node kept looking. A wrong
 * clock ends no lease. Time in which this node could not look doesn't count: the others may have been cut off too.
 */
export class Peers {
  readonly #leaseMs: number;
  #seen = new Map<string, Seen>();
  #askedAtMs = -Infinity;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** Both times are monotonic. */
  findDead(others: readonly NodeBeat[], askedAtMs: number, answeredAtMs: number): NodeBeat[] {
    if (askedAtMs - this.#askedAtMs > this.#leaseMs / 2) this.#seen.clear();
    this.#askedAtMs = askedAtMs;
    this.#seen = new Map(
      others.map(({ id, beat }) => {
        const before = this.#seen.get(id);
        return [id, before?.beat === beat ? before : { beat, sinceMs: answeredAtMs }];
      }),
    );
    return others.filter(({ id, isGone }) => {
      const sinceMs = this.#seen.get(id)?.sinceMs ?? askedAtMs;
      return isGone || askedAtMs - sinceMs >= this.#leaseMs;
    });
  }

  /** The whole lease starts again. */
  loseContact(): void {
    this.#seen.clear();
  }
}
