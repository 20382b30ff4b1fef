/** Told of each batch as it is about to be written: what it writes, and how many share it. */
export type OnBatch = (of: 'accept' | 'settle', size: number) => void;

/**
 * Group commit: what arrives while one batch is being written goes together into the next one, so the
 * price of a commit is shared by all who wait for it. Nobody waits longer than the commit before.
 */
export class GroupCommit<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #maxBatch: number;
  readonly #writers: number;
  #waiting: { item: Item; turn: PromiseWithResolvers<Result> }[] = [];
  #writing = 0;

  /**
   * @param write  writes a batch in one transaction; its results stand in the order of the items
   * @param writers  how many batches may be written at once: 1 on SQLite, which has one writer
   */
  constructor(
    write: (items: readonly Item[]) => Promise<readonly Result[]>,
    { maxBatch, writers = 1 }: { maxBatch: number; writers?: number },
  ) {
    this.#write = write;
    this.#maxBatch = maxBatch;
    this.#writers = writers;
  }

  /** Resolves once the item is durable; rejects with what the write of its batch rejected with. */
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
      // One bad item must not take its neighbours with it.
      if (batch.length > 1 && !isPassing(error))
        for (const each of batch) await this.#writeBatch([each]);
      else for (const { turn } of batch) turn.reject(error);
    }
  }
}

/** Resolves once everything that has arrived at this process so far has been looked at. */
function whatIsInHand(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** A fault of the database, not of an item: writing the items one by one would only prolong it. */
function isPassing(error: unknown): boolean {
  return (error as { code?: string }).code === 'STORE_UNAVAILABLE';
}
