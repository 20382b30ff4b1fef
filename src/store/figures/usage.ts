import type { HourCount } from './batch-counts.ts';
import { type Dialect, type Fields, packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { Runner } from '../database/runner.ts';
import type { Context } from '../database/context.ts';

/** Null: no limit (§8.2). */
export interface MonthlyLimits {
  byPlan: ReadonlyMap<string, number | null>;
  /** For plans that the operator has removed. */
  other: number | null;
}

export const NO_LIMITS: MonthlyLimits = { byPlan: new Map(), other: null };

export function limitOf({ byPlan, other }: MonthlyLimits, plan: string): number | null {
  const limit = byPlan.get(plan);
  return limit === undefined ? other : limit;
}

/**
 * With more runs left, a team counts by appending to `batch_counts`, which locks nothing: up to this many may start
 * before the month's row has them.
 */
const FAR_FROM_LIMIT = 100_000;

/** @param used as far as it is added up */
export function isNearLimit(limit: number | null, used: number): boolean {
  return limit !== null && limit - used < FAR_FROM_LIMIT;
}

export const nearLimit = (limit: string, used: string) =>
  `(${limit} is not null and ${limit} - ${used} < ${FAR_FROM_LIMIT})`;

const WANTED = { team_id: 'id', runs: 'bigint', monthly_limit: 'bigint' } as const satisfies Fields;
const USED = { team_id: 'id', month: 'text', used: 'bigint' } as const satisfies Fields;

const UNLIMITED = 2 ** 52;

/**
 * Counts runs that are about to be sent (§8.2). Exact across nodes, because the month's row stays locked.
 *
 * `excluded.granted` has the limit; in a new row `granted` is the count: how many runs the team may have.
 *
 * $1 `WANTED` in the order of the teams, $2 month
 */
const countMonths = preparedStatement<{ team_id: string; granted: number }>(
  'count-months',
  (dialect) => {
    const left = dialect.least('excluded.used', 'excluded.granted - usage_months.used');
    const granted = dialect.greatest('0', left);
    return `
  insert into usage_months (team_id, month, used, granted)
  select team_id, ${dialect.$(2)}, ${dialect.least('runs', 'monthly_limit')}, monthly_limit
  from ${dialect.rows(WANTED, 1)} where true
  on conflict (team_id, month) do update set
    granted = ${granted}, used = usage_months.used + ${granted}
  returning team_id, ${dialect.least('granted', 'used')} as granted`;
  },
);

/** Negative numbers take back. Rows come in one order, to prevent deadlocks. $1 `USED` */
const addToMonths = preparedStatement<never>(
  'add-to-months',
  (dialect) => `
  insert into usage_months (team_id, month, used)
  select team_id, month, used from ${dialect.rows(USED, 1)} where true
  on conflict (team_id, month) do update set used = usage_months.used + excluded.used`,
);

/** As far as it is added up, in SQL. */
export const usedBy = (team: string, month: string) => `coalesce((
    select m.used from usage_months m where m.team_id = ${team} and m.month = ${month}), 0)`;

/** As `2026-11`. */
export const monthOf = (now: number) => new Date(now).toISOString().slice(0, 7);

/** Null: no limit. */
interface Wanted {
  teamId: string;
  runs: number;
  monthlyLimit: number | null;
}

export async function countUsage(
  runner: Runner,
  wanted: readonly Wanted[],
  now: number,
): Promise<Map<string, number>> {
  const rows = wanted
    .map(({ teamId, runs, monthlyLimit }) => {
      return { team_id: teamId, runs, monthly_limit: monthlyLimit ?? UNLIMITED };
    })
    .toSorted((a, b) => (a.team_id < b.team_id ? -1 : 1));
  const granted = await runner.rows(countMonths, [packRows(WANTED, rows), monthOf(now)]);
  return new Map(granted.map((row) => [row.team_id, row.granted]));
}

/** Only for runs that the same transaction has put back. */
export async function uncountRuns(
  runner: Runner,
  runs: readonly { teamId: string; countedAt: number }[],
): Promise<void> {
  const back = runs.map(({ teamId, countedAt }) => ({ teamId, at: countedAt, runs: -1 }));
  await addUp(runner, back);
}

export async function addStarts(runner: Runner, counts: readonly HourCount[]): Promise<void> {
  const starts = counts.filter(({ outcome }) => outcome === 'started');
  const added = starts.map(({ team_id, hour, runs }) => {
    return { teamId: team_id ?? '', at: hour ?? 0, runs: runs ?? 0 };
  });
  await addUp(runner, added);
}

async function addUp(
  runner: Runner,
  counts: readonly { teamId: string; at: number; runs: number }[],
): Promise<void> {
  if (counts.length === 0) return;
  const used = new Map<string, number>();
  for (const { teamId, at, runs } of counts) {
    const key = `${teamId} ${monthOf(at)}`;
    used.set(key, (used.get(key) ?? 0) + runs);
  }
  const rows = [...used.keys()].toSorted().map((key) => {
    const [team_id = '', month = ''] = key.split(' ');
    return { team_id, month, used: used.get(key) ?? 0 };
  });
  await runner.rows(addToMonths, [packRows(USED, rows)]);
}

/** Not added up yet. $3 its first hour, $4 the next month's */
export const startsOf = (team: string, { $ }: Dialect) => `batch_counts
  where team_id = ${team} and source_id = ${team} and outcome = 'started'
    and hour >= ${$(3)} and hour < ${$(4)}`;

/** With the first hour, and the next month's. */
export function boundsOfMonth(now: number): [month: string, from: number, until: number] {
  const month = monthOf(now);
  const at = new Date(`${month}-01T00:00:00Z`);
  return [month, at.getTime(), at.setUTCMonth(at.getUTCMonth() + 1)];
}

/** $1 team, then `boundsOfMonth` */
const readMonth = preparedStatement<{ used: number }>(
  'read-month',
  (dialect) => `
  select cast(coalesce(sum(used), 0) as bigint) as used from (
    select used from usage_months where team_id = ${dialect.$(1)} and month = ${dialect.$(2)}
    union all select runs from ${startsOf(dialect.$(1), dialect)}) as counts`,
);

export const usage = {
  async usedInMonth({ main }: Context, teamId: string, now: number): Promise<number> {
    const [row] = await main.read(readMonth, [teamId, ...boundsOfMonth(now)]);
    return row?.used ?? 0;
  },

  /** For runs outside queues and crons. False if the month is used up. */
  async countOne(
    { main }: Context,
    teamId: string,
    monthlyLimit: number | null,
    now: number,
  ): Promise<boolean> {
    const wanted = [{ teamId, runs: 1, monthlyLimit }];
    const granted = await main.transact((trx) => countUsage(trx, wanted, now));
    return granted.get(teamId) === 1;
  },
};
