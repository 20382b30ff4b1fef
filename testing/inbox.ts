import { WAIT_LIMIT_MS } from './limits.ts';
import { withinTime } from './wait.ts';

interface Waiter<Item> {
  isWanted: (item: Item) => boolean;
  take: (item: Item) => void;
}

export interface WaitLimit {
  /** Real milliseconds. */
  withinMs?: number;
}

/** Keeps what arrives at a test server, and lets a test wait for it. */
export class Inbox<Item> {
  /** Everything that arrived, in order. */
  readonly items: Item[] = [];
  readonly #name: string;
  readonly #describe: (item: Item) => string;
  readonly #taken = new Set<Item>();
  #waiters: Waiter<Item>[] = [];
  #counters: { count: number; reached: () => void }[] = [];

  /** @param name  the items in the plural, for messages */
  constructor(name: string, describe: (item: Item) => string) {
    this.#name = name;
    this.#describe = describe;
  }

  add(item: Item): void {
    this.items.push(item);
    const waiter = this.#waiters.find(({ isWanted }) => isWanted(item));
    if (waiter !== undefined) {
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
      this.#taken.add(item);
      waiter.take(item);
    }
    if (this.#counters.length > 0) this.#resolveCounters();
  }

  /** The first item not yet given by `next` that is wanted; waits for one to arrive if there is none. */
  async next(
    isWanted: (item: Item) => boolean = () => true,
    { withinMs = WAIT_LIMIT_MS }: WaitLimit = {},
  ): Promise<Item> {
    const present = this.items.find((item) => !this.#taken.has(item) && isWanted(item));
    if (present !== undefined) {
      this.#taken.add(present);
      return present;
    }
    const { promise, resolve } = Promise.withResolvers<Item>();
    const waiter = { isWanted, take: resolve };
    this.#waiters.push(waiter);
    try {
      return await withinTime(promise, withinMs, () => `one of the ${this.#arrivals()}`);
    } finally {
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
    }
  }

  /** Waits until `count` items have arrived in all, and gives the first `count` of them. */
  async waitFor(count: number, { withinMs = WAIT_LIMIT_MS }: WaitLimit = {}): Promise<Item[]> {
    if (this.items.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#counters.push({ count, reached: resolve });
      await withinTime(promise, withinMs, () => `${count} ${this.#arrivals()}`);
    }
    return this.items.slice(0, count);
  }

  #resolveCounters(): void {
    const reached = this.#counters.filter(({ count }) => count <= this.items.length);
    this.#counters = this.#counters.filter((counter) => !reached.includes(counter));
    for (const counter of reached) counter.reached();
  }

  #arrivals(): string {
    const last = this.items.slice(-5).map((item) => this.#describe(item));
    return `${this.#name}; ${this.items.length} arrived${last.length > 0 ? `, last: ${last.join(' · ')}` : ''}`;
  }
}
