import type { StatementRunner } from '../database/transaction-script.ts';
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

/** Null if the team isn't near it. */
type NearLimitOf<Row> = (row: Row) => number | null;

export function nearLimits<Row>(
  groups: ReadonlyMap<string, GroupRow>,
  limits: MonthlyLimits,
  groupOf: (row: Row) => string,
): NearLimitOf<Row> {
  return (row) => {
    const group = groups.get(groupOf(row));
    const limit = group ? limitOf(limits, group.plan) : null;
    return isNearLimit(limit, group?.used ?? 0) ? limit : null;
  };
}

/** §8.2 @returns the runs within the limit */
export async function countRuns<Row extends Claimed>(
  runner: StatementRunner,
  claim: Claim,
  rows: readonly Row[],
  nearLimitOf: NearLimitOf<Row>,
): Promise<Row[]> {
  const far = rows.filter((row) => nearLimitOf(row) === null);
  const started = [...Map.groupBy(far, ({ team_id }) => team_id)].map(([team_id, runs]) => {
    return { team_id, runs: runs.length };
  });
  await countStarts(runner, started, claim.now);
  return keepWithinLimit(runner, claim, rows, nearLimitOf);
}

/** Near the limit: counts under the lock of the month's row. @returns the runs within the limit */
export async function keepWithinLimit<Row extends Claimed>(
  runner: StatementRunner,
  { table, nodeId, now }: Claim,
  rows: readonly Row[],
  nearLimitOf: NearLimitOf<Row>,
): Promise<Row[]> {
  const near = rows.filter((row) => nearLimitOf(row) !== null);
  if (near.length === 0) return [...rows];
  const byTeam = Map.groupBy(near, ({ team_id }) => team_id);
  const wanted = [...byTeam].map(([teamId, [first, ...others]]) => {
    return { teamId, runs: 1 + others.length, monthlyLimit: first ? nearLimitOf(first) : null };
  });
  const granted = await countUsage(runner, wanted, now);
  const over = new Set([...byTeam].flatMap(([id, runs]) => runs.slice(granted.get(id) ?? 0)));
  if (over.size === 0) return [...rows];
  const ends = [...over].map((run) => overLimit(run, now));
  await END_RUNS[runner.dialect.name].run(runner, packEnds(runner.dialect, table, nodeId, ends));
  return rows.filter((row) => !over.has(row));
}
