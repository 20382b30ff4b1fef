import { DURATION_BOUNDS, type DurationCounts } from '#domain/duration-histogram';
import type { FailureReason } from '#domain/failure';
import type { Database } from '../database/database.ts';
import type { Fields } from '../database/dialect.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import { pageStatement } from '../lists/statement.ts';
import { HOUR_MS, OUTCOME_OF_STATUS } from './outcomes.ts';
import type { DurationHoursTable } from '../database/schema.ts';

/** A run that ended, of which those are counted that were sent. */
export const TIMED_RUN = {
  team_id: 'id',
  source_id: 'id',
  status: 'text',
  completed_at: 'bigint',
  reason: 'text',
  duration_ms: 'int',
} as const satisfies Fields;

/** Why a run ends without having been sent, or without anybody knowing how long that took. */
const UNSENT: readonly FailureReason[] = ['limit_exceeded', 'worker_failed'];

/** The number of the step that counts a run. */
const STEP = `case ${DURATION_BOUNDS.map((ms, n) => `when duration_ms <= ${ms} then ${n}`).join(' ')}
    else ${DURATION_BOUNDS.length} end`;

/**
 * Counts runs by how long they took, for their queue or cron and for their team. However many there are, it writes a
 * row for each of those, hour, outcome and step among them, in one order, so that two batches do not wait for each
 * other in a ring.
 *
 * @param ended  a table expression that gives `TIMED_RUN`
 * @param runs  how many runs its rows stand for
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

/** 1 runs alike, as `TIMED_RUN` or more with their number */
export const addDurations = preparedStatement<never>('add-durations', (dialect) =>
  countDurationsOf(dialect.rows({ ...TIMED_RUN, runs: 'int' }, 1), 'sum(runs)'),
);

export interface DurationHour {
  hour: number;
  outcome: DurationHoursTable['outcome'];
  counts: DurationCounts;
}

/** 1 team, 2 source, 3 from */
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

  /** @param sourceId  a queue's, a cron's, or the team's for all that it runs @param from  of whose hour they begin */
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
