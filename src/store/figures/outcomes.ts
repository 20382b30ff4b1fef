import { HOUR_MS } from '#domain/base/instant';
import { preparedStatement } from '../database/prepared.ts';
import type { Row } from '../tables/tables.ts';
import type { Context } from '../database/context.ts';

/** Rows of ended runs: the table also counts started ones. */
export const IS_ENDED = "outcome <> 'started'";

/**
 * In one order, to prevent deadlocks.
 * @param counts a table expression of `batch_counts`
 */
export function addToOutcomeHours(counts: string): string {
  return `
  insert into outcome_hours (team_id, hour, outcome, runs)
  select team_id, hour, outcome, sum(runs) from ${counts} where ${IS_ENDED}
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (team_id, hour, outcome) do update set runs = outcome_hours.runs + excluded.runs`;
}

export interface OutcomeHour {
  hour: number;
  outcome: Row<'outcome_hours'>['outcome'];
  runs: number;
}

/** $1 team, $2 from */
const readHours = preparedStatement<OutcomeHour>('read-outcome-hours', ({ $ }) => {
  const ofTable = (table: string) => `
    select hour, outcome, runs from ${table} where team_id = ${$(1)} and hour >= ${$(2)}`;
  return `
  select hour, outcome, cast(sum(runs) as bigint) as runs
  from (${ofTable('outcome_hours')} union all ${ofTable('batch_counts')} and ${IS_ENDED}) as counts
  group by hour, outcome order by hour, outcome`;
});

export const outcomes = {
  async readHours({ main }: Context, teamId: string, from: number): Promise<OutcomeHour[]> {
    const parameters = [teamId, from - (from % HOUR_MS)];
    return main.read(readHours, parameters);
  },
};
