import type { Dialect } from '../database/dialect.ts';
import { END_RUNS } from './end-runs.ts';
import type { StatementRunner } from '../database/transaction-script.ts';
import type { RunTable } from './run-tables.ts';
import { overLimit, packEnds } from './settlement.ts';
import { countUsage } from '../figures/usage.ts';

/**
 * Counts runs that a node has just claimed, and fails those over their team's monthly limit at once (§8.2).
 *
 * @returns the others
 */
export async function keepWithinLimit<Row extends { team_id: string; id: string }>(
  runner: StatementRunner,
  dialect: Dialect,
  { table, nodeId, now }: { table: RunTable; nodeId: string; now: number },
  rows: readonly Row[],
  limitOf: (row: Row) => number | null,
): Promise<Row[]> {
  if (rows.length === 0) return [];
  const byTeam = Map.groupBy(rows, ({ team_id }) => team_id);
  const wanted = [...byTeam].map(([teamId, [first, ...others]]) => {
    return { teamId, runs: 1 + others.length, monthlyLimit: first ? limitOf(first) : null };
  });
  const granted = await countUsage(runner, dialect, wanted, now);
  const over = new Set([...byTeam].flatMap(([id, runs]) => runs.slice(granted.get(id) ?? 0)));
  if (over.size === 0) return [...rows];
  const ends = [...over].map(({ team_id, id }) => Object.assign({ team_id, id }, overLimit(now)));
  await END_RUNS[dialect.name].run(runner, dialect, packEnds(dialect, table, nodeId, ends));
  return rows.filter((row) => !over.has(row));
}
