import type { ClaimedRun } from './claims.ts';
import type { Database } from './database.ts';
import { type Dialect, type Fields, packRows } from './dialect.ts';
import { hotStatement, runHot } from './hot.ts';
import type { HotRunner } from './procedure.ts';

const USED = { team_id: 'id', period: 'text', used: 'bigint' } as const satisfies Fields;

const addToMonths = hotStatement<{ team_id: string; used: number }>(
  'add-to-months',
  (dialect) => `
  insert into usage_months (team_id, month, used)
  select given.team_id, given.period, given.used from ${dialect.rows(USED, 1)} where true
  on conflict (team_id, month) do update set used = usage_months.used + excluded.used
  returning team_id, used`,
);

const addToDays = hotStatement<never>(
  'add-to-days',
  (dialect) => `
  insert into usage_days (team_id, day, used)
  select given.team_id, given.period, given.used from ${dialect.rows(USED, 1)} where true
  on conflict (team_id, day) do update set used = usage_days.used + excluded.used`,
);

/** How many runs a team wants to start, and the most it may have in a month (null: no limit). */
export interface Wanted {
  teamId: string;
  runs: number;
  monthlyLimit: number | null;
}

/**
 * Counts runs that are about to be sent against each team's month (§8.2), exactly, however many nodes
 * count at once: the month's row is held to the end of the transaction.
 *
 * @returns for each team how many of the runs it may have; the rest is over the limit and not counted
 */
export async function countUsage(
  runner: HotRunner,
  dialect: Dialect,
  wanted: readonly Wanted[],
  now: number,
): Promise<Map<string, number>> {
  const month = new Date(now).toISOString().slice(0, 7);
  const day = new Date(now).toISOString().slice(0, 10);
  const sorted = wanted.toSorted((a, b) => (a.teamId < b.teamId ? -1 : 1));
  const rows = sorted.map(({ teamId, runs }) => ({ team_id: teamId, period: month, used: runs }));
  const counted = await runHot(runner, dialect, addToMonths, [packRows(USED, rows)]);
  const usedBy = new Map(counted.map(({ team_id, used }) => [team_id, used]));
  const granted = new Map(sorted.map((team) => [team.teamId, grantOf(team, usedBy)]));
  const excess = sorted
    .map(({ teamId, runs }) => ({
      team_id: teamId,
      period: month,
      used: (granted.get(teamId) ?? 0) - runs,
    }))
    .filter(({ used }) => used < 0);
  if (excess.length > 0) await runHot(runner, dialect, addToMonths, [packRows(USED, excess)]);
  const days = sorted
    .map(({ teamId }) => ({ team_id: teamId, period: day, used: granted.get(teamId) ?? 0 }))
    .filter(({ used }) => used > 0);
  if (days.length > 0) await runHot(runner, dialect, addToDays, [packRows(USED, days)]);
  return granted;
}

function grantOf({ teamId, runs, monthlyLimit }: Wanted, usedBy: Map<string, number>): number {
  if (monthlyLimit === null) return runs;
  const before = (usedBy.get(teamId) ?? 0) - runs;
  return Math.max(0, Math.min(runs, monthlyLimit - before));
}

/** A run that was counted and not sent after all, and when it was counted. */
export interface Uncounted {
  teamId: string;
  countedAt: number;
}

/** Those of claimed runs that were not sent because something stored of them can't be read any more. */
export function unsentRuns(runs: readonly ClaimedRun[]): Uncounted[] {
  return runs
    .filter(({ unreadable }) => unreadable !== null)
    .map(({ teamId, startedAt }) => ({ teamId, countedAt: startedAt }));
}

/** Takes back the count of runs that were not sent after all: only of such as the same transaction put back. */
export async function uncountRuns(
  runner: HotRunner,
  dialect: Dialect,
  runs: readonly Uncounted[],
): Promise<void> {
  if (runs.length === 0) return;
  for (const [statement, length] of [
    [addToMonths, '2026-11'.length],
    [addToDays, '2026-11-21'.length],
  ] as const) {
    const periodOf = ({ countedAt }: Uncounted) =>
      new Date(countedAt).toISOString().slice(0, length);
    const rows = [...Map.groupBy(runs, (run) => `${run.teamId} ${periodOf(run)}`)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { length: count }]) => {
        const [teamId = '', period = ''] = key.split(' ');
        return { team_id: teamId, period, used: -count };
      });
    await runHot(runner, dialect, statement, [packRows(USED, rows)]);
  }
}

export class UsageStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Runs counted for a team in the UTC month of `now`. */
  async usedInMonth(teamId: string, now: number): Promise<number> {
    const month = new Date(now).toISOString().slice(0, 7);
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
    const month = new Date(now).toISOString().slice(0, 7);
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

  /** Counts one run made outside queues and crons (a test run); false where the month is used up. */
  async countOne(teamId: string, monthlyLimit: number | null, now: number): Promise<boolean> {
    const wanted = [{ teamId, runs: 1, monthlyLimit }];
    const granted = await this.#db.transact((trx) =>
      countUsage(trx, this.#db.dialect, wanted, now),
    );
    return granted.get(teamId) === 1;
  }
}
