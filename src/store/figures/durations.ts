import { DURATION_BOUNDS, type DurationCounts } from '#domain/duration-histogram';
import type { FailureReason } from '#domain/failure';
import type { Database } from '../database/database.ts';
import type { Fields } from '../database/dialect.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import { pageStatement } from '../lists/statement.ts';
import { HOUR_MS, OUTCOME_OF_STATUS } from './outcomes.ts';
import type { DurationHoursTable } from '../database/schema.ts';

/** An ended run. Only runs that were sent are counted. */
export const TIMED_RUN = {
  team_id: 'id',
  source_id: 'id',
  status: 'text',
  completed_at: 'bigint',
  reason: 'text',
  duration_ms: 'int',
} as const satisfies Fields;

/** The reasons of runs that were not sent, or whose duration is not known. */
const UNSENT: readonly FailureReason[] = ['limit_exceeded', 'worker_failed'];

/** The number of the histogram step that a run belongs to. */
const STEP = `case ${DURATION_BOUNDS.map((ms, n) => `when duration_ms <= ${ms} then ${n}`).join(' ')}
    else ${DURATION_BOUNDS.length} end`;

/**
 * Adds runs to the duration counters of their queue or cron and of their team. It writes one row per source, hour,
 * outcome and step, however many runs there are, always in the same order, so that two batches cannot deadlock.
 *
 * @param ended  a table expression that gives `TIMED_RUN`
 * @param runs  how many runs each of its rows stands for
 */
export function countDurationsOf(ended: string, runs = 'count(*)'): string {
  return `
  insert into duration_hours (team_id, source_id, hour, outcome, step, runs)
  select team_id, case of_team when 1 then team_id else source_id end, hour, outcome, step, sum(runs)
  from (
    select team_id, source_id, completed_at - completed_at % ${HOUR_MS} as hour,
      ${OUTCOME_OF_STATUS} as outcome,
      ${STEP} as step, ${runs} as runs
    from ${ended}
    where coalesce(reason, '') not in (${UNSENT.map((reason) => `'${reason}'`).join(', ')})
    group by 1, 2, 3, 4, 5
  ) as counted cross join (select 0 as of_team union all select 1) as sources
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (team_id, source_id, hour, outcome, step) do update set runs = duration_hours.runs + excluded.runs`;
}

/** Parameters: 1 groups of equal runs, as `TIMED_RUN` with their number */
export const addDurations = preparedStatement<never>('add-durations', (dialect) =>
  countDurationsOf(dialect.rows({ ...TIMED_RUN, runs: 'int' }, 1), 'sum(runs)'),
);

export interface DurationHour {
  hour: number;
  outcome: DurationHoursTable['outcome'];
  counts: DurationCounts;
}

/** Parameters: 1 team, 2 source, 3 from */
const readHours = pageStatement<Pick<DurationHoursTable, 'hour' | 'outcome' | 'step' | 'runs'>>(
  'read-duration-hours',
  (dialect) => `
  select hour, outcome, step, runs from duration_hours
  where team_id = ${dialect.$(1)} and source_id = ${dialect.$(2)} and hour >= ${dialect.$(3)}
  order by hour, outcome`,
);

/** How long runs took, by hour. */
export class DurationStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Reads the counters from the hour of `from` on.
   *
   * @param sourceId  the id of a queue or a cron, or of the team for all its runs
   */
  async readHours(teamId: string, sourceId: string, from: number): Promise<DurationHour[]> {
    const parameters = [teamId, sourceId, from - (from % HOUR_MS)];
    const rows = await this.#db.read((db) =>
      runPrepared(db, this.#db.dialect, readHours, parameters),
    );
    const byHour = Map.groupBy(rows, ({ hour, outcome }) => `${hour} ${outcome}`);
    return [...byHour.values()].flatMap((steps) => {
      const [first] = steps;
      if (first === undefined) return [];
      const runsOf = new Map(steps.map(({ step, runs }) => [step, runs]));
      const counts = Array.from(
        { length: DURATION_BOUNDS.length + 1 },
        (_, n) => runsOf.get(n) ?? 0,
      );
      return [{ hour: first.hour, outcome: first.outcome, counts }];
    });
  }
}
