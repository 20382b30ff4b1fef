import type { Trx } from './database.ts';
import { wasLockedOut } from './errors.ts';
import { preparedStatement } from './prepared.ts';

/** Fails soon (`wasLockedOut`) at a locked row. */
export async function limitLockWaits(trx: Trx): Promise<void> {
  await trx.rows(limitWaits, []);
}

const limitWaits = preparedStatement<never>(
  'limit-lock-waits',
  ({ limitLockWaits }) => `select 1 from (select 1 as one) as given ${limitLockWaits}`,
);

/**
 * If a row is locked, the rest of that team's are skipped. @param act one transaction, which begins with
 * `limitLockWaits`
 */
export async function forEachUnlocked<Row extends { team_id: string }>(
  rows: readonly Row[],
  act: (row: Row) => Promise<void>,
  lockedTeams = new Set<string>(),
): Promise<void> {
  for (const row of rows) {
    if (lockedTeams.has(row.team_id)) continue;
    try {
      await act(row);
    } catch (error) {
      if (!wasLockedOut(error)) throw error;
      lockedTeams.add(row.team_id);
    }
  }
}

/**
 * A batch that meets another's lock is written team by team. A team with a locked row comes last, the one tried longest
 * ago first.
 */
export class LockedTeams<Item> {
  readonly #teamOf: (item: Item) => string;
  readonly #locked = new Set<string>();

  constructor(teamOf: (item: Item) => string) {
    this.#teamOf = teamOf;
  }

  /**
   * @param write one transaction with limited lock waits
   * @returns results in order; an error for an item that must be written again
   */
  async write<Result>(
    items: readonly Item[],
    write: (items: readonly Item[]) => Promise<readonly Result[]>,
  ): Promise<(Result | Error)[]> {
    const results = new Map<Item, Result | Error>();
    const keep = async (some: readonly Item[]): Promise<Error | null> => {
      try {
        const written = await write(some);
        for (const [n, item] of some.entries()) results.set(item, written[n] as Result);
        return null;
      } catch (error) {
        // While nothing is written, any other fault concerns all items.
        if (results.size === 0 && !wasLockedOut(error)) throw error;
        return error as Error;
      }
    };
    const keepTeam = async (teamId: string, ofTeam: readonly Item[]): Promise<Error | null> => {
      const fault = await keep(ofTeam);
      this.#locked.delete(teamId);
      if (fault === null) return null;
      this.#locked.add(teamId);
      for (const item of ofTeam) results.set(item, fault);
      return fault;
    };
    const known = new Set(this.#locked);
    const free = items.filter((item) => !known.has(this.#teamOf(item)));
    if (free.length > 0 && (await keep(free)) !== null) {
      for (const [teamId, ofTeam] of Map.groupBy(free, this.#teamOf))
        await keepTeam(teamId, ofTeam);
    }
    const byTeam = Map.groupBy(items, this.#teamOf);
    let fault: Error | null = null;
    for (const teamId of known) {
      const ofTeam = byTeam.get(teamId) ?? [];
      if (ofTeam.length === 0) continue;
      if (fault === null) fault = await keepTeam(teamId, ofTeam);
      else for (const item of ofTeam) results.set(item, fault);
    }
    return items.map((item) => results.get(item) as Result | Error);
  }
}
