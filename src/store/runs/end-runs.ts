import type { EndedRow, PackedSettlements } from './settlement.ts';
import { endRuns as onPostgres } from './end-runs-postgres.ts';
import { endRuns as onSqlite } from './end-runs-sqlite.ts';

/** Returns the runs that were still the node's; null if all were and there is nothing else. */
export const END_RUNS = { postgres: onPostgres, sqlite: onSqlite };

/**
 * Rows that aren't in their places are looked up by key: they have moved, or the runs are no longer the node's. @param
 * end performs `END_RUNS`
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
