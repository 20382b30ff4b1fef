import { HOUR_MS } from '#domain/base/instant';
import { DURATION_BOUNDS, type DurationCounts, stepOf } from '#domain/runs/duration-histogram';
import type { FailureReason } from '#domain/judging/failure';
import type { Dialect } from '../database/dialect.ts';
import type { Row } from '../tables/tables.ts';
import type { Context } from '../database/context.ts';
import { pageStatement } from '../database/prepared.ts';

/** Not sent, or without a known duration. */
const UNSENT: ReadonlySet<string | null> = new Set<FailureReason>([
  'limit_exceeded',
  'worker_failed',
]);

/** Null: not sent, so not counted. */
export function durationStep(reason: string | null, durationMs: number): number | null {
  return UNSENT.has(reason) ? null : stepOf(durationMs);
}

/**
 * In one order, to prevent deadlocks.
 * @param counts a table expression of `batch_counts`
 */
export function addToDurationHours(counts: string): string {
  return `
  insert into duration_hours (team_id, source_id, hour, outcome, step, runs)
  select team_id, case of_team when 1 then team_id else source_id end, hour, outcome, step, sum(runs)
  from ${counts} cross join (select 0 as of_team union all select 1) as sources
  where step is not null
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (team_id, source_id, hour, outcome, step) do update set runs = duration_hours.runs + excluded.runs`;
}

/** By hour, outcome and step; the source may be the team. $1 team, $2 source, $3 from hour */
function durationCounts({ $ }: Dialect): string {
  const notAddedUp = (condition: string) => `
    select hour, outcome, step, runs from batch_counts
    where ${condition} and hour >= ${$(3)} and step is not null`;
  return `(
    select hour, outcome, step, runs from duration_hours
    where team_id = ${$(1)} and source_id = ${$(2)} and hour >= ${$(3)}
    union all ${notAddedUp(`team_id = ${$(1)} and source_id = ${$(2)}`)}
    union all ${notAddedUp(`team_id = ${$(2)} and ${$(1)} = ${$(2)}`)}) as counts`;
}

export interface DurationHour {
  hour: number;
  outcome: Row<'duration_hours'>['outcome'];
  counts: DurationCounts;
}

/** Parameters as for `durationCounts` */
const readHours = pageStatement<Pick<Row<'duration_hours'>, 'hour' | 'outcome' | 'step' | 'runs'>>(
  'read-duration-hours',
  (dialect) => `
  select hour, outcome, step, cast(sum(runs) as bigint) as runs from ${durationCounts(dialect)}
  group by hour, outcome, step order by hour, outcome`,
);

function countsOf(rows: readonly { step: number; runs: number }[]): DurationCounts {
  const runsOf = new Map(rows.map(({ step, runs }) => [step, runs]));
  return Array.from({ length: DURATION_BOUNDS.length + 1 }, (_, n) => runsOf.get(n) ?? 0);
}

export const durations = {
  /**
   * From the hour of `from` on.
   * @param sourceId a queue, a cron, or the team
   */
  async readHours(
    { main }: Context,
    teamId: string,
    sourceId: string,
    from: number,
  ): Promise<DurationHour[]> {
    const parameters = [teamId, sourceId, from - (from % HOUR_MS)];
    const rows = await main.read(readHours, parameters);
    const byHour = Map.groupBy(rows, ({ hour, outcome }) => `${hour} ${outcome}`);
    return [...byHour.values()].flatMap((steps) => {
      const [first] = steps;
      if (first === undefined) return [];
      return [{ hour: first.hour, outcome: first.outcome, counts: countsOf(steps) }];
    });
  },
};
