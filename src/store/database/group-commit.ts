/** Called before each batch is written. */
export type OnBatch = (of: 'accept' | 'settle', size: number) => void;

/** Exactly one is called, and must not throw. */
export interface ItemOwner<Result> {
  onWritten(result: Result): void;
  onNotWritten(error: unknown): void;
}

/**
 * Items that arrive while a batch is written form the next one. An item waits at most for one commit before its own.
 */
export class GroupCommit<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  readonly #maxBatch: number;
  readonly #writers: number;
  #waiting: Item[] = [];
  #owners: ItemOwner<Result>[] = [];
  #writing = 0;

  /**
   * @param write one transaction; returns results in order, an error for an item that wasn't written
   * @param writers simultaneous batches: 1 on SQLite
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

  /** A promise for each run would cost more than the rest of its batch. */
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
      // One by one, so a bad item doesn't fail the others.
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

/** The event loop has handled all that has arrived. */
function whatIsInHand(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** A fault of the database, not of an item: writing one by one would prolong the outage. */
function isPassing(error: unknown): boolean {
  return (error as { code?: string }).code === 'STORE_UNAVAILABLE';
}
