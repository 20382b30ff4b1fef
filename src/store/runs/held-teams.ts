import { heldUp, isHeldUp } from './held-rows.ts';

type Write<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;
type Results<Item, Result> = Map<Item, Result | Error>;

/**
 * Writes batches with rows of several teams so that no team waits for a lock on another one's rows. A batch that meets
 * a lock is written team by team. A team with a locked row is then written after the others until it succeeds. Of
 * several such teams the one that was tried longest ago comes first; after one that is still locked, the rest wait for
 * the next batch.
 */
export class HeldTeams<Item> {
  readonly #teamOf: (item: Item) => string;
  /** Held teams, in the order in which they were last tried. */
  readonly #held = new Set<string>();

  constructor(teamOf: (item: Item) => string) {
    this.#teamOf = teamOf;
  }

  /**
   * @param write  throws an error for which `isHeldUp` is true if it gave up; it has then written nothing
   * @returns the results in the order of the items; an error for an item that must be written again later
   */
  async write<Result>(
    items: readonly Item[],
    write: Write<Item, Result>,
  ): Promise<(Result | Error)[]> {
    const results: Results<Item, Result> = new Map();
    if (this.#held.size > 0) {
      await this.#writeHeldLast(items, write, results);
    } else {
      try {
        return [...(await write(items))];
      } catch (error) {
        if (!isHeldUp(error)) throw error;
      }
      await this.#writeEachTeam(items, write, results);
    }
    return items.map((item) => results.get(item) as Result | Error);
  }

  async #writeHeldLast<Result>(
    items: readonly Item[],
    write: Write<Item, Result>,
    results: Results<Item, Result>,
  ): Promise<void> {
    const isSuspect = (item: Item) => this.#held.has(this.#teamOf(item));
    const suspects = Map.groupBy(items.filter(isSuspect), this.#teamOf);
    const others = items.filter((item) => !isSuspect(item));
    if ((await tryWrite(others, write, results)) !== null) {
      await this.#writeEachTeam(others, write, results);
    }
    await this.#writeUntilHeldUp(suspects, write, results);
  }

  async #writeEachTeam<Result>(
    items: readonly Item[],
    write: Write<Item, Result>,
    results: Results<Item, Result>,
  ): Promise<void> {
    for (const ofTeam of Map.groupBy(items, this.#teamOf).entries()) {
      await this.#writeTeam(ofTeam, write, results);
    }
  }

  async #writeUntilHeldUp<Result>(
    suspects: ReadonlyMap<string, readonly Item[]>,
    write: Write<Item, Result>,
    results: Results<Item, Result>,
  ): Promise<void> {
    let isOneHeld = false;
    const inTurn = [...this.#held].filter((teamId) => suspects.has(teamId));
    for (const teamId of inTurn) {
      const items = suspects.get(teamId) ?? [];
      if (isOneHeld) for (const item of items) results.set(item, heldUp());
      else isOneHeld = !(await this.#writeTeam([teamId, items], write, results));
    }
  }

  /** Writes the items of one team. False if it met a lock. */
  async #writeTeam<Result>(
    [teamId, items]: readonly [string, readonly Item[]],
    write: Write<Item, Result>,
    results: Results<Item, Result>,
  ): Promise<boolean> {
    const error = await tryWrite(items, write, results);
    this.#held.delete(teamId);
    if (error === null) return true;
    this.#held.add(teamId);
    for (const item of items) results.set(item, error);
    return false;
  }
}

/**
 * Tries to write. Null on success. While nothing of the batch is written yet, any other fault is thrown, because it
 * concerns all items.
 */
async function tryWrite<Item, Result>(
  items: readonly Item[],
  write: Write<Item, Result>,
  results: Results<Item, Result>,
): Promise<Error | null> {
  if (items.length === 0) return null;
  try {
    const written = await write(items);
    for (const [n, item] of items.entries()) results.set(item, written[n] as Result);
    return null;
  } catch (error) {
    if (results.size === 0 && !isHeldUp(error)) throw error;
    return error as Error;
  }
}
