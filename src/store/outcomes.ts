import type { Database } from './database.ts';
import { type Dialect, type Fields, packRows, type RowOf } from './dialect.ts';
import { hotStatement, runHot } from './hot.ts';
import type { HotRunner } from './procedure.ts';
import type { OutcomeHoursTable } from './schema.ts';

/** A run that ended, for the plots of outcomes. */
export interface EndedRun {
  teamId: string;
  outcome: OutcomeHoursTable['outcome'];
  completedAt: number;
}

export const OUTCOME = {
  team_id: 'id',
  hour: 'bigint',
  outcome: 'text',
  runs: 'bigint',
} as const satisfies Fields;

const HOUR_MS = 3_600_000;

export const addOutcomes = hotStatement<never>(
  'add-outcomes',
  (dialect) => `
  insert into outcome_hours (team_id, hour, outcome, runs)
  select given.team_id, given.hour, given.outcome, given.runs from ${dialect.rows(OUTCOME, 1)}
  where true
  on conflict (team_id, hour, outcome) do update set runs = outcome_hours.runs + excluded.runs`,
);

/** How a job's or an execution's status counts. */
export function outcomeOf(
  status: 'success' | 'retried' | 'dead_lettered' | 'failed',
): OutcomeHoursTable['outcome'] {
  return status === 'dead_lettered' ? 'failed' : status;
}

/** One row an hour, team and outcome, in the order in which every batch takes them, so that none waits for another in a ring. */
export function outcomeRows(ended: readonly EndedRun[]): RowOf<typeof OUTCOME>[] {
  const rows = new Map<string, { team_id: string; hour: number; outcome: string; runs: number }>();
  for (const { teamId, outcome, completedAt } of ended) {
    const hour = completedAt - (completedAt % HOUR_MS);
    const key = `${teamId} ${hour} ${outcome}`;
    const row = rows.get(key);
    if (row) row.runs++;
    else rows.set(key, { team_id: teamId, hour, outcome, runs: 1 });
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** Runs of several teams that failed at one time without having been sent or answered. */
export function failedRuns(rows: readonly { team_id: string }[], completedAt: number): EndedRun[] {
  return rows.map(({ team_id }) => ({ teamId: team_id, outcome: 'failed', completedAt }));
}

/** Counts runs that ended, in the transaction that ends them. */
export async function countOutcomes(
  runner: HotRunner,
  dialect: Dialect,
  ended: readonly EndedRun[],
): Promise<void> {
  if (ended.length === 0) return;
  await runHot(runner, dialect, addOutcomes, [packRows(OUTCOME, outcomeRows(ended))]);
}

export interface OutcomeHour {
  hour: number;
  outcome: OutcomeHoursTable['outcome'];
  runs: number;
}

/** Counts by hour, from the hour of an instant on. */
export class OutcomeStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async readHours(teamId: string, from: number): Promise<OutcomeHour[]> {
    return this.#db.read((reader) =>
      reader
        .selectFrom('outcome_hours')
        .select(['hour', 'outcome', 'runs'])
        .where('team_id', '=', teamId)
        .where('hour', '>=', from - (from % HOUR_MS))
        .orderBy('hour')
        .execute(),
    );
  }

  /** Forgets hours before an instant; few enough for one statement. */
  async forgetBefore(before: number): Promise<void> {
    await this.#db.transact((trx) =>
      trx.deleteFrom('outcome_hours').where('hour', '<', before).execute(),
    );
  }
}
