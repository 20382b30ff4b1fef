import type { Database } from '../database/database.ts';
import type { Fields } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { OutcomeHoursTable } from '../database/schema.ts';

/** The length of one counter. */
export const HOUR_MS = 3_600_000;

/** How a run that ended is counted, by its state. */
export const OUTCOME_OF_STATUS = `case status when 'dead_lettered' then 'failed' else status end`;

/** An ended run, for the plots of outcomes. */
const ENDED_RUN = {
  team_id: 'id',
  status: 'text',
  completed_at: 'bigint',
} as const satisfies Fields;

/**
 * Adds ended runs to the counters of outcomes, always in the same order, so that two batches cannot deadlock.
 *
 * @param ended  a table expression that gives `ENDED_RUN`
 * @param runs  how many runs each of its rows stands for
 */
export function countOutcomesOf(ended: string, runs = 'count(*)'): string {
  return `
  insert into outcome_hours (team_id, hour, outcome, runs)
  select team_id, completed_at - completed_at % ${HOUR_MS},
    ${OUTCOME_OF_STATUS}, ${runs}
  from ${ended} group by 1, 2, 3 order by 1, 2, 3
  on conflict (team_id, hour, outcome) do update set runs = outcome_hours.runs + excluded.runs`;
}

/** Parameters: 1 groups of equal runs, as `ENDED_RUN` with their number */
export const addOutcomes = preparedStatement<never>('add-outcomes', (dialect) =>
  countOutcomesOf(`${dialect.rows({ ...ENDED_RUN, runs: 'int' }, 1)} where true`, 'sum(runs)'),
);

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

  /** Deletes counters of hours before an instant. They are few enough for one statement. */
  async forgetBefore(before: number): Promise<void> {
    await this.#db.transact((trx) =>
      trx.deleteFrom('outcome_hours').where('hour', '<', before).execute(),
    );
  }
}
