import type { NodeBeat } from '#store/nodes/nodes';

interface Seen {
  beat: number;
  /** When this beat was first seen, on this process's monotonic clock. */
  sinceMs: number;
}

/**
 * Decides which other nodes are dead: those whose beat did not change for a whole lease while this node kept looking.
 * Only time measured by this process counts, so a wrong clock cannot end anybody's lease. Time in which this node
 * itself could not look does not count: the others may have been cut off like it.
 */
export class Peers {
  readonly #leaseMs: number;
  #seen = new Map<string, Seen>();
  #askedAtMs = -Infinity;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** Records one look at the other nodes and returns those that are dead. Both times are of the monotonic clock. */
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

  /** Notes a failed check: the whole lease starts again. */
  loseContact(): void {
    this.#seen.clear();
  }
}
