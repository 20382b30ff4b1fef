import type { EndedRow, PackedSettlements } from './settlement.ts';
import { endRuns as onPostgres } from './end-runs-postgres.ts';
import { endRuns as onSqlite } from './end-runs-sqlite.ts';

/**
 * Ends runs and writes everything that follows. Returns the runs that were still the node's to end; null if all of them
 * were and there is nothing else to return.
 */
export const END_RUNS = { postgres: onPostgres, sqlite: onSqlite };

/**
 * Ends runs where their rows lay when they were claimed. If some are not found there, they are looked up by their keys:
 * the rows have moved, or the runs are no longer the node's.
 *
 * @param end  performs `END_RUNS`
 */
export async function endRuns(
  input: PackedSettlements,
  end: (input: PackedSettlements) => Promise<EndedRow[] | null>,
): Promise<EndedRow[] | null> {
  const ended = await end(input);
  if (ended === null || !input.byPlace) return ended;
  const others = await end({ ...input, byPlace: false });
  return others && [...ended, ...others];
}
