/** Only the set changes its index. */
export interface Indexed {
  /** -1 if it is in no set. */
  setIndex: number;
}

/**
 * For thousands of short-lived items a second. A `Set` that makes a new table leaves the old one behind, with its items
 * and a reference to the next table. Once such a table is in the old generation, all later tables and their items
 * survive until the next full garbage collection. This list never shrinks, for the same reason.
 */
export class ChurningSet<Item extends Indexed> {
  readonly #items: (Item | null)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    item.setIndex = this.#size++;
    this.#items[item.setIndex] = item;
  }

  /** False if it isn't in the set. The last item takes its place. */
  delete(item: Item): boolean {
    const { setIndex } = item;
    if (setIndex === -1) return false;
    const last = this.#items[--this.#size];
    this.#items[this.#size] = null;
    if (last && last !== item) {
      this.#items[setIndex] = last;
      last.setIndex = setIndex;
    }
    item.setIndex = -1;
    return true;
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const item of this.#items) {
      if (item === null) return;
      yield item;
    }
  }
}
