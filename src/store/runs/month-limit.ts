import type { Runner } from '../database/runner.ts';
import { countStarts } from '../figures/batch-counts.ts';
import { countUsage, isNearLimit, limitOf, type MonthlyLimits } from '../figures/usage.ts';
import type { GroupRow } from './claim.ts';
import { END_RUNS } from './end-runs.ts';
import type { RunTable } from './run-tables.ts';
import { overLimit, packEnds } from './settlement.ts';

interface Claim {
  table: RunTable;
  nodeId: string;
  now: number;
}

interface Claimed {
  team_id: string;
  id: string;
}

/** Null if its team isn't near it. */
export function nearLimitOf(group: GroupRow | undefined, limits: MonthlyLimits): number | null {
  if (group === undefined) return null;
  const limit = limitOf(limits, group.plan);
  return isNearLimit(limit, group.used) ? limit : null;
}

/**
 * Near the limit it counts under the lock of the month's row (§8.2).
 * @param limitNear `nearLimitOf` a run's group
 * @returns the runs within the limit
 */
export async function countRuns<Row extends Claimed>(
  runner: Runner,
  { table, nodeId, now }: Claim,
  rows: readonly Row[],
  limitNear: (row: Row) => number | null,
): Promise<Row[]> {
  const [near, far] = [[], []] as [Row[], Row[]];
  for (const row of rows) (limitNear(row) === null ? far : near).push(row);
  const started = [...Map.groupBy(far, teamOf)].map(([team_id, runs]) => {
    return { team_id, runs: runs.length };
  });
  await countStarts(runner, started, now);
  if (near.length === 0) return [...rows];
  const byTeam = Map.groupBy(near, teamOf);
  const wanted = [...byTeam].map(([teamId, [first, ...others]]) => {
    return { teamId, runs: 1 + others.length, monthlyLimit: first ? limitNear(first) : null };
  });
  const granted = await countUsage(runner, wanted, now);
  const over = new Set([...byTeam].flatMap(([id, runs]) => runs.slice(granted.get(id) ?? 0)));
  if (over.size === 0) return [...rows];
  const ends = [...over].map((run) => overLimit(run, now));
  await END_RUNS[runner.dialect.name].run(runner, packEnds(runner.dialect, table, nodeId, ends));
  return rows.filter((row) => !over.has(row));
}

const teamOf = ({ team_id }: Claimed) => team_id;
