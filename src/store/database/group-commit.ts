import { wasLockedOut } from './errors.ts';

/** Called before each batch is written. */
export type OnBatch = (of: 'accept' | 'settle', size: number) => void;

/** Exactly one is called, and must not throw. */
export interface ItemOwner<Result> {
  onWritten(result: Result): void;
  onNotWritten(error: unknown): void;
}

interface Entry<Item, Result> {
  item: Item;
  owner: ItemOwner<Result>;
}

interface Options<Item> {
  maxBatch: number;
  /** Simultaneous batches: 1 on SQLite. */
  writers?: number;
  /** For writes that fail soon at a locked row (`wasLockedOut`), which are then repeated team by team. */
  teamOf?: (item: Item) => string;
}

/**
 * Items that arrive while a batch is written form the next one. An item waits at most for one commit before its own.
 */
export class GroupCommit<Item, Result> {
  readonly #writeItems: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  readonly #maxBatch: number;
  readonly #writers: number;
  readonly #teamOf: (entry: Entry<Item, Result>) => string;
  /** Teams, the one tried longest ago first. */
  readonly #locked = new Set<string>();
  #waiting: Entry<Item, Result>[] = [];
  #writing = 0;

  /** @param write one transaction; returns results in order, an error for an item that wasn't written */
  constructor(
    write: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
    { maxBatch, writers = 1, teamOf = () => '' }: Options<Item>,
  ) {
    this.#writeItems = write;
    this.#maxBatch = maxBatch;
    this.#writers = writers;
    this.#teamOf = ({ item }) => teamOf(item);
  }

  /** Rejects with the error of its batch. */
  add(item: Item): Promise<Result> {
    return new Promise((onWritten, onNotWritten) => this.put(item, { onWritten, onNotWritten }));
  }

  /** A promise for each run would cost more than the rest of its batch. */
  put(item: Item, owner: ItemOwner<Result>): void {
    this.#waiting.push({ item, owner });
    if (this.#writing < this.#writers) {
      this.#writing++;
      // Requests that arrived together are written together.
      setImmediate(() => void this.#drain());
    }
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#writeFreeFirst(this.#waiting.splice(0, this.#maxBatch));
      if (this.#waiting.length < this.#maxBatch) await whatIsInHand();
    }
    this.#writing--;
  }

  /** Then the teams that were locked, until one still is. */
  async #writeFreeFirst(batch: readonly Entry<Item, Result>[]): Promise<void> {
    if (this.#locked.size === 0) return void (await this.#write(batch));
    const locked = new Set(this.#locked);
    const free = batch.filter((entry) => !locked.has(this.#teamOf(entry)));
    if (free.length > 0) await this.#write(free);
    const byTeam = Map.groupBy(batch, this.#teamOf);
    let fault: unknown = null;
    for (const teamId of locked) {
      const ofTeam = byTeam.get(teamId);
      if (ofTeam === undefined) continue;
      if (fault === null) fault = await this.#write(ofTeam, true);
      else for (const { owner } of ofTeam) owner.onNotWritten(fault);
    }
  }

  /**
   * @param isOfTeam another team's lock can't have stopped it; otherwise even a single team is tried twice
   * @returns the fault if nothing was written
   */
  async #write(batch: readonly Entry<Item, Result>[], isOfTeam = false): Promise<unknown> {
    for (const entry of batch) this.#locked.delete(this.#teamOf(entry));
    let results: readonly (Result | Error)[];
    try {
      results = await this.#writeItems(batch.map(({ item }) => item));
    } catch (error) {
      const isLocked = wasLockedOut(error);
      const parts = this.#partsOf(batch, error);
      if (isLocked ? !isOfTeam : parts.length > 1) {
        for (const part of parts) await this.#write(part, isOfTeam || isLocked);
        return null;
      }
      if (isLocked) for (const entry of batch) this.#locked.add(this.#teamOf(entry));
      for (const { owner } of batch) owner.onNotWritten(error);
      return error;
    }
    for (const [n, { owner }] of batch.entries()) {
      const result = results[n] as Result | Error;
      if (result instanceof Error) owner.onNotWritten(result);
      else owner.onWritten(result);
    }
    return null;
  }

  /** A locked row fails its team, and a bad item only itself. */
  #partsOf(batch: readonly Entry<Item, Result>[], error: unknown) {
    if (wasLockedOut(error)) return [...Map.groupBy(batch, this.#teamOf).values()];
    return isPassing(error) ? [batch] : batch.map((entry) => [entry]);
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
