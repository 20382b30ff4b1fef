import type { ClaimedRun } from '../runs/claims.ts';
import type { HourCount } from './batch-counts.ts';
import { type Dialect, type Fields, packRows } from '../database/dialect.ts';
import { type PreparedStatement, preparedStatement } from '../database/prepared.ts';
import type { StatementRunner } from '../database/transaction-script.ts';
import type { Context } from '../database/context.ts';

/** The monthly limit of runs of each plan (§8.2); null: no limit. */
export interface MonthlyLimits {
  byPlan: ReadonlyMap<string, number | null>;
  /** The limit of plans that are not named, because the operator has removed them. */
  other: number | null;
}

export const NO_LIMITS: MonthlyLimits = { byPlan: new Map(), other: null };

export function limitOf({ byPlan, other }: MonthlyLimits, plan: string): number | null {
  const limit = byPlan.get(plan);
  return limit === undefined ? other : limit;
}

/**
 * A team with more runs left in its month than this counts by appending to `batch_counts`, which locks nothing. Its
 * other claims, and those of other nodes, may start so many before the month's row has them: counts are added up within
 * some seconds. With fewer left, each claim counts in the month's row, under its lock.
 */
const FAR_FROM_LIMIT = 100_000;

/** @param used the runs of the month, as far as they are added up */
export function isNearLimit(limit: number | null, used: number): boolean {
  return limit !== null && limit - used < FAR_FROM_LIMIT;
}

export const nearLimit = (limit: string, used: string) =>
  `(${limit} is not null and ${limit} - ${used} < ${FAR_FROM_LIMIT})`;

const WANTED = { team_id: 'id', runs: 'bigint', monthly_limit: 'bigint' } as const satisfies Fields;
const USED = { team_id: 'id', period: 'text', used: 'bigint' } as const satisfies Fields;

/** "No limit" as a number. */
export const UNLIMITED = 2 ** 52;

/**
 * Counts runs that are about to be sent against each team's month (§8.2). The count is exact on any number of nodes,
 * because the month's row stays locked until the end of the transaction. Returns how many of its runs each team may
 * have; the others are over the limit and not counted.
 *
 * For a row that exists, `excluded.granted` holds the limit; in a new row `granted` is how many runs it counts.
 *
 * Parameters: 1 rows of `WANTED` in the order of the teams, 2 month
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

/** Adds to the counters of months or days; negative numbers take back. `used` selects team, period and runs. */
export function addUsage(table: 'usage_months' | 'usage_days', used: string): string {
  const period = table === 'usage_months' ? 'month' : 'day';
  return `
  insert into ${table} (team_id, ${period}, used) ${used}
  on conflict (team_id, ${period}) do update set used = ${table}.used + excluded.used`;
}

const addPacked = (name: string, table: Parameters<typeof addUsage>[0]) =>
  preparedStatement<never>(name, (dialect) =>
    addUsage(table, `select team_id, period, used from ${dialect.rows(USED, 1)} where true`),
  );
const addToMonths = addPacked('add-to-months', 'usage_months');
const addToDays = addPacked('add-to-days', 'usage_days');

/** The runs of a team's month, as far as they are added up: a value in SQL. */
export const usedBy = (team: string, month: string) => `coalesce((
    select m.used from usage_months m where m.team_id = ${team} and m.month = ${month}), 0)`;

export function periodsOf(now: number): { month: string; day: string } {
  const at = new Date(now).toISOString();
  return { month: at.slice(0, 7), day: at.slice(0, 10) };
}

/** Null: no limit. */
interface Wanted {
  teamId: string;
  runs: number;
  monthlyLimit: number | null;
}

export async function countUsage(
  runner: StatementRunner,
  wanted: readonly Wanted[],
  now: number,
): Promise<Map<string, number>> {
  const { month, day } = periodsOf(now);
  const rows = wanted
    .map(({ teamId, runs, monthlyLimit }) => {
      return { team_id: teamId, runs, monthly_limit: monthlyLimit ?? UNLIMITED };
    })
    .toSorted((a, b) => (a.team_id < b.team_id ? -1 : 1));
  const granted = await runner.rows(countMonths, [packRows(WANTED, rows), month]);
  const grants = new Map(granted.map((row) => [row.team_id, row.granted]));
  const days = rows
    .map(({ team_id }) => ({ team_id, period: day, used: grants.get(team_id) ?? 0 }))
    .filter(({ used }) => used > 0);
  if (days.length > 0) await runner.rows(addToDays, [packRows(USED, days)]);
  return grants;
}

/** A run that was counted and not sent after all, and when it was counted. */
interface Uncounted {
  teamId: string;
  countedAt: number;
}

export function unsentRuns(runs: readonly ClaimedRun[]): Uncounted[] {
  return runs
    .filter(({ unreadable }) => unreadable !== null)
    .map(({ teamId, startedAt }) => ({ teamId, countedAt: startedAt }));
}

/** Only for runs that the same transaction has put back. */
export async function uncountRuns(
  runner: StatementRunner,
  runs: readonly Uncounted[],
): Promise<void> {
  const back = runs.map(({ teamId, countedAt }) => ({ teamId, at: countedAt, runs: -1 }));
  await addToPeriods(runner, back);
}

/** Adds the starts among rows of `batch_counts` to the months and days. */
export async function addStarts(
  runner: StatementRunner,
  counts: readonly HourCount[],
): Promise<void> {
  const starts = counts.filter(({ outcome }) => outcome === 'started');
  const added = starts.map(({ team_id, hour, runs }) => {
    return { teamId: team_id ?? '', at: hour ?? 0, runs: runs ?? 0 };
  });
  await addToPeriods(runner, added);
}

async function addToPeriods(
  runner: StatementRunner,
  counts: readonly { teamId: string; at: number; runs: number }[],
): Promise<void> {
  if (counts.length === 0) return;
  for (const [statement, period] of [
    [addToMonths, 'month'],
    [addToDays, 'day'],
  ] as const) {
    const keyOf = ({ teamId, at }: (typeof counts)[number]) => `${teamId} ${periodsOf(at)[period]}`;
    const rows = [...Map.groupBy(counts, keyOf)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, ofPeriod]) => {
        const [team_id = '', name = ''] = key.split(' ');
        return { team_id, period: name, used: ofPeriod.reduce((sum, each) => sum + each.runs, 0) };
      });
    await runner.rows(statement, [packRows(USED, rows)]);
  }
}

/** The starts of a team in a month that are not added up yet. Parameters: 3 its first hour, 4 the next month's */
export const startsOf = (team: string, { $ }: Dialect) => `batch_counts
  where team_id = ${team} and source_id = ${team} and outcome = 'started'
    and hour >= ${$(3)} and hour < ${$(4)}`;

/** The month of an instant, its first hour and the first hour of the next month. */
export function monthOf(now: number): [month: string, from: number, until: number] {
  const { month } = periodsOf(now);
  const at = new Date(`${month}-01T00:00:00Z`);
  return [month, at.getTime(), at.setUTCMonth(at.getUTCMonth() + 1)];
}

/** Parameters: 1 team, then as in `monthOf` */
const readMonth = preparedStatement<{ used: number }>(
  'read-month',
  (dialect) => `
  select cast(coalesce(sum(used), 0) as bigint) as used from (
    select used from usage_months where team_id = ${dialect.$(1)} and month = ${dialect.$(2)}
    union all select runs from ${startsOf(dialect.$(1), dialect)}) as counts`,
);

/** Parameters as for `readMonth` */
const readDays = preparedStatement<{ day: string | null; hour: number | null; used: number }>(
  'read-days',
  (dialect) => `
  select day, null as hour, used from usage_days
  where team_id = ${dialect.$(1)} and day like ${dialect.$(2)} || '-%'
  union all select null, hour, runs from ${startsOf(dialect.$(1), dialect)}`,
);

export const usage = {
  async usedInMonth(context: Context, teamId: string, now: number): Promise<number> {
    const [row] = await read(context, readMonth, teamId, now);
    return row?.used ?? 0;
  },

  /** Oldest first; days without a run are left out. */
  async usedByDay(
    context: Context,
    teamId: string,
    now: number,
  ): Promise<{ day: string; used: number }[]> {
    const days = new Map<string, number>();
    for (const row of await read(context, readDays, teamId, now)) {
      const day = row.day ?? periodsOf(row.hour ?? 0).day;
      days.set(day, (days.get(day) ?? 0) + row.used);
    }
    return [...days]
      .map(([day, used]) => ({ day, used }))
      .toSorted((a, b) => (a.day < b.day ? -1 : 1));
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

async function read<Row>(
  { main }: Context,
  statement: PreparedStatement<Row>,
  teamId: string,
  now: number,
): Promise<Row[]> {
  return main.read(statement, [teamId, ...monthOf(now)]);
}
