/** Called for each batch before it is written: with its kind and its number of items. */
export type OnBatch = (of: 'accept' | 'settle', size: number) => void;

/**
 * Group commit: items that arrive while one batch is being written form the next one, so that all of them share the
 * price of a commit. No item waits longer than for the commit before its own.
 */
export class GroupCommit<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #maxBatch: number;
  readonly #writers: number;
  #waiting: { item: Item; turn: PromiseWithResolvers<Result> }[] = [];
  #writing = 0;

  /**
   * @param write  writes a batch in one transaction; gives the results in the order of the items
   * @param writers  how many batches may be written at the same time: 1 on SQLite, which has one writer
   */
  constructor(
    write: (items: readonly Item[]) => Promise<readonly Result[]>,
    { maxBatch, writers = 1 }: { maxBatch: number; writers?: number },
  ) {
    this.#write = write;
    this.#maxBatch = maxBatch;
    this.#writers = writers;
  }

  /** Resolves once the item is durable; rejects with the error of its batch. */
  async add(item: Item): Promise<Result> {
    const turn = Promise.withResolvers<Result>();
    this.#waiting.push({ item, turn });
    if (this.#writing < this.#writers) {
      this.#writing++;
      // Requests that arrived together are written together.
      setImmediate(() => void this.#drain());
    }
    return turn.promise;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxBatch);
      await this.#writeBatch(batch);
      if (this.#waiting.length < this.#maxBatch) await whatIsInHand();
    }
    this.#writing--;
  }

  async #writeBatch(
    batch: readonly { item: Item; turn: PromiseWithResolvers<Result> }[],
  ): Promise<void> {
    try {
      const results = await this.#write(batch.map(({ item }) => item));
      batch.forEach(({ turn }, n) => turn.resolve(results[n] as Result));
    } catch (error) {
      // Each item is written again by itself, so that one bad item does not fail the others.
      if (batch.length > 1 && !isPassing(error))
        for (const each of batch) await this.#writeBatch([each]);
      else for (const { turn } of batch) turn.reject(error);
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
