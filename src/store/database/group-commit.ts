/** Called before each batch is written. */
export type OnBatch = (of: 'accept' | 'settle', size: number) => void;

/** Waits for an item. One of the two is called once, and must not throw. */
export interface ItemOwner<Result> {
  onWritten(result: Result): void;
  onNotWritten(error: unknown): void;
}

/**
 * Group commit: items that arrive while one batch is being written form the next one, so that all of them share the
 * price of a commit. No item waits longer than for the commit before its own.
 */
export class GroupCommit<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  readonly #maxBatch: number;
  readonly #writers: number;
  #waiting: Item[] = [];
  #owners: ItemOwner<Result>[] = [];
  #writing = 0;

  /**
   * @param write  writes a batch in one transaction; returns the results in the order of the items, an error for an
   * item that was not written
   * @param writers  how many batches may be written at the same time: 1 on SQLite, which has one writer
   */
  constructor(
    write: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
    { maxBatch, writers = 1 }: { maxBatch: number; writers?: number },
  ) {
    this.#write = write;
    this.#maxBatch = maxBatch;
    this.#writers = writers;
  }

  /** Rejects with the error of its batch. */
  add(item: Item): Promise<Result> {
    return new Promise((onWritten, onNotWritten) => this.put(item, { onWritten, onNotWritten }));
  }

  /** A promise for each run would cost more than all else about its batch. */
  put(item: Item, owner: ItemOwner<Result>): void {
    this.#waiting.push(item);
    this.#owners.push(owner);
    if (this.#writing < this.#writers) {
      this.#writing++;
      // Requests that arrived together are written together.
      setImmediate(() => void this.#drain());
    }
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxBatch);
      await this.#writeBatch(batch, this.#owners.splice(0, this.#maxBatch));
      if (this.#waiting.length < this.#maxBatch) await whatIsInHand();
    }
    this.#writing--;
  }

  async #writeBatch(batch: readonly Item[], owners: readonly ItemOwner<Result>[]): Promise<void> {
    let results: readonly (Result | Error)[];
    try {
      results = await this.#write(batch);
    } catch (error) {
      // Each item is written again alone, so that one bad item does not fail the others.
      if (batch.length > 1 && !isPassing(error)) {
        for (const [n, item] of batch.entries()) {
          await this.#writeBatch([item], owners.slice(n, n + 1));
        }
      } else for (const owner of owners) owner.onNotWritten(error);
      return;
    }
    for (const [n, owner] of owners.entries()) {
      const result = results[n] as Result | Error;
      if (result instanceof Error) owner.onNotWritten(result);
      else owner.onWritten(result);
    }
  }
}

/** Resolves once the event loop has handled everything that has arrived at this process so far. */
function whatIsInHand(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Whether a fault is the database's and not an item's. Writing the items one by one would then only prolong the outage.
 */
function isPassing(error: unknown): boolean {
  return (error as { code?: string }).code === 'STORE_UNAVAILABLE';
}
