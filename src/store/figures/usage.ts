import type { ClaimedRun } from '../runs/claims.ts';
import type { Database } from '../database/database.ts';
import { type Dialect, type Fields, packRows } from '../database/dialect.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import type { StatementRunner } from '../database/transaction-script.ts';

const WANTED = { team_id: 'id', runs: 'bigint', monthly_limit: 'bigint' } as const satisfies Fields;
const USED = { team_id: 'id', period: 'text', used: 'bigint' } as const satisfies Fields;

/** Stands for "no limit" where a number is needed. */
export const UNLIMITED = 2 ** 52;

/**
 * Counts runs that are about to be sent against each team's month (§8.2). The count is exact on any number of nodes,
 * because the month's row stays locked until the end of the transaction. Gives for each team how many of the runs it
 * may have; the others are over the limit and not counted.
 *
 * For a row that exists, `excluded.granted` holds the limit; in a new row `granted` is how many runs it counts.
 *
 * @param wanted  a table expression that gives `WANTED`, in the order of the teams, ending with its condition
 */
export function countMonthsOf(dialect: Dialect, wanted: string, month: string): string {
  const left = dialect.least('excluded.used', 'excluded.granted - usage_months.used');
  const granted = dialect.greatest('0', left);
  return `
  insert into usage_months (team_id, month, used, granted)
  select team_id, ${month}, ${dialect.least('runs', 'monthly_limit')}, monthly_limit from ${wanted}
  on conflict (team_id, month) do update set
    granted = ${granted}, used = usage_months.used + ${granted}
  returning team_id, ${dialect.least('granted', 'used')} as granted`;
}

const countMonths = preparedStatement<{ team_id: string; granted: number }>(
  'count-months',
  (dialect) => countMonthsOf(dialect, `${dialect.rows(WANTED, 1)} where true`, dialect.$(2)),
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

/** Names the UTC month and day of an instant. */
export function periodsOf(now: number): { month: string; day: string } {
  const at = new Date(now).toISOString();
  return { month: at.slice(0, 7), day: at.slice(0, 10) };
}

/** How many runs a team wants to start, and its monthly limit (null: none). */
interface Wanted {
  teamId: string;
  runs: number;
  monthlyLimit: number | null;
}

/** See `countMonthsOf`. */
export async function countUsage(
  runner: StatementRunner,
  dialect: Dialect,
  wanted: readonly Wanted[],
  now: number,
): Promise<Map<string, number>> {
  const { month, day } = periodsOf(now);
  const rows = wanted
    .map(({ teamId, runs, monthlyLimit }) => {
      return { team_id: teamId, runs, monthly_limit: monthlyLimit ?? UNLIMITED };
    })
    .toSorted((a, b) => (a.team_id < b.team_id ? -1 : 1));
  const granted = await runPrepared(runner, dialect, countMonths, [packRows(WANTED, rows), month]);
  const grants = new Map(granted.map((row) => [row.team_id, row.granted]));
  const days = rows
    .map(({ team_id }) => ({ team_id, period: day, used: grants.get(team_id) ?? 0 }))
    .filter(({ used }) => used > 0);
  if (days.length > 0) await runPrepared(runner, dialect, addToDays, [packRows(USED, days)]);
  return grants;
}

/** A run that was counted and not sent after all, and when it was counted. */
interface Uncounted {
  teamId: string;
  countedAt: number;
}

/** The claimed runs that are not sent because a stored part of them can't be read. */
export function unsentRuns(runs: readonly ClaimedRun[]): Uncounted[] {
  return runs
    .filter(({ unreadable }) => unreadable !== null)
    .map(({ teamId, startedAt }) => ({ teamId, countedAt: startedAt }));
}

/** Takes back the count of runs that were not sent after all. Only for runs that the same transaction has put back. */
export async function uncountRuns(
  runner: StatementRunner,
  dialect: Dialect,
  runs: readonly Uncounted[],
): Promise<void> {
  if (runs.length === 0) return;
  for (const [statement, period] of [
    [addToMonths, 'month'],
    [addToDays, 'day'],
  ] as const) {
    const periodOf = ({ countedAt }: Uncounted) => periodsOf(countedAt)[period];
    const rows = [...Map.groupBy(runs, (run) => `${run.teamId} ${periodOf(run)}`)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { length: count }]) => {
        const [teamId = '', name = ''] = key.split(' ');
        return { team_id: teamId, period: name, used: -count };
      });
    await runPrepared(runner, dialect, statement, [packRows(USED, rows)]);
  }
}

export class UsageStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Runs counted for a team in the UTC month of `now`. */
  async usedInMonth(teamId: string, now: number): Promise<number> {
    const { month } = periodsOf(now);
    const row = await this.#db.read((db) =>
      db
        .selectFrom('usage_months')
        .select('used')
        .where('team_id', '=', teamId)
        .where('month', '=', month)
        .executeTakeFirst(),
    );
    return row?.used ?? 0;
  }

  /** Runs by UTC day of the month of `now`, oldest first; days without a run are left out. */
  async usedByDay(teamId: string, now: number): Promise<{ day: string; used: number }[]> {
    const { month } = periodsOf(now);
    return this.#db.read((db) =>
      db
        .selectFrom('usage_days')
        .select(['day', 'used'])
        .where('team_id', '=', teamId)
        .where('day', '>=', `${month}-01`)
        .where('day', '<=', `${month}-31`)
        .orderBy('day')
        .execute(),
    );
  }

  /** Counts one run outside queues and crons (a test run). False where the month is used up. */
  async countOne(teamId: string, monthlyLimit: number | null, now: number): Promise<boolean> {
    const wanted = [{ teamId, runs: 1, monthlyLimit }];
    const granted = await this.#db.transact((trx) =>
      countUsage(trx, this.#db.dialect, wanted, now),
    );
    return granted.get(teamId) === 1;
  }
}
