/** Only the timer queue changes its index. */
export interface Timed {
  dueAt: number;
  /** -1 if it is in no timer queue. */
  heapIndex: number;
}

/** A binary heap. Each item has its index, so a move leaves no old entry. */
export class TimerQueue<Item extends Timed> {
  readonly #heap: Item[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** Also moves an item whose time has changed. */
  put(item: Item): void {
    if (item.heapIndex === -1) this.#set(this.#heap.length, item);
    this.#rise(item);
    this.#sink(item);
  }

  *takeUntil(now: number): Generator<Item> {
    for (let first = this.#heap[0]; first && first.dueAt <= now; first = this.#heap[0]) {
      this.#remove(first);
      yield first;
    }
  }

  /** Infinity if empty. */
  earliest(): number {
    return this.#heap[0]?.dueAt ?? Infinity;
  }

  #remove(item: Item): void {
    const last = this.#heap.pop();
    const { heapIndex } = item;
    item.heapIndex = -1;
    if (last === undefined || last === item) return;
    this.#set(heapIndex, last);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(item: Item): void {
    for (;;) {
      const parent = this.#heap[(item.heapIndex - 1) >> 1];
      if (item.heapIndex === 0 || !parent || parent.dueAt <= item.dueAt) return;
      this.#swap(parent, item);
    }
  }

  #sink(item: Item): void {
    for (;;) {
      const left = this.#heap[2 * item.heapIndex + 1];
      const right = this.#heap[2 * item.heapIndex + 2];
      const child = left && right && right.dueAt < left.dueAt ? right : left;
      if (!child || item.dueAt <= child.dueAt) return;
      this.#swap(item, child);
    }
  }

  #swap(a: Item, b: Item): void {
    const { heapIndex } = a;
    this.#set(b.heapIndex, a);
    this.#set(heapIndex, b);
  }

  #set(heapIndex: number, item: Item): void {
    this.#heap[heapIndex] = item;
    item.heapIndex = heapIndex;
  }
}
