import { DURATION_BOUNDS, type DurationCounts } from '#domain/duration-histogram';
import type { FailureReason } from '#domain/failure';
import type { Database } from './database.ts';
import type { Fields } from './dialect.ts';
import { hotStatement, runHot } from './hot.ts';
import { pageStatement } from './lists/statement.ts';
import type { DurationHoursTable } from './schema.ts';

const HOUR_MS = 3_600_000;

/** A run that ended, of which those are counted that were sent; `queue_id` is null for one of a cron. */
const TIMED_RUN = {
  team_id: 'id',
  queue_id: 'id',
  status: 'text',
  completed_at: 'bigint',
  reason: 'text',
  duration_ms: 'int',
} as const satisfies Fields;

/** Why a run ends without having been sent, or without anybody knowing how long that took. */
const UNSENT: readonly FailureReason[] = ['limit_exceeded', 'worker_failed'];

const COLUMNS = [...DURATION_BOUNDS.map((ms) => `up_to_${ms}`), 'longer'];

/** Which of the columns counts a run, as its number. */
const STEP = `case ${DURATION_BOUNDS.map((ms, n) => `when duration_ms <= ${ms} then ${n}`).join(' ')}
    else ${DURATION_BOUNDS.length} end`;

/**
 * Counts runs by how long they took, for their queue and for their team. However many there are, it writes a row for
 * each queue, team, hour and outcome among them, in one order, so that two batches do not wait for each other in a
 * ring. The runs are unpacked once, and not for each comparison.
 *
 * @param ended  a table expression that gives `TIMED_RUN`
 */
export function countDurationsOf(ended: string): string {
  return `
  insert into duration_hours (team_id, source_id, hour, outcome, ${COLUMNS.join(', ')})
  select team_id, case of_team when 1 then team_id else queue_id end, hour, outcome,
    ${COLUMNS.map((_, n) => `sum(case step when ${n} then runs else 0 end)`).join(', ')}
  from (
    with timed as materialized (
      select team_id, queue_id, status, completed_at, duration_ms from ${ended}
      where coalesce(reason, '') not in (${UNSENT.map((reason) => `'${reason}'`).join(', ')})
    )
    select team_id, queue_id, completed_at - completed_at % ${HOUR_MS} as hour,
      case status when 'dead_lettered' then 'failed' else status end as outcome,
      ${STEP} as step, count(*) as runs
    from timed group by 1, 2, 3, 4, 5
  ) as counted cross join (select 0 as of_team union all select 1) as sources
  where of_team = 1 or queue_id is not null
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (team_id, source_id, hour, outcome) do update set
    ${COLUMNS.map((column) => `${column} = duration_hours.${column} + excluded.${column}`).join(', ')}`;
}

/** 1 runs, as `TIMED_RUN` or more */
export const addDurations = hotStatement<never>('add-durations', (dialect) =>
  countDurationsOf(dialect.rows(TIMED_RUN, 1)),
);

export interface DurationHour {
  hour: number;
  outcome: DurationHoursTable['outcome'];
  counts: DurationCounts;
}

/** 1 team, 2 source, 3 from */
const readHours = pageStatement<DurationHoursTable & Record<string, number>>(
  'read-duration-hours',
  (dialect) => `
  select hour, outcome, ${COLUMNS.join(', ')} from duration_hours
  where team_id = ${dialect.$(1)} and source_id = ${dialect.$(2)} and hour >= ${dialect.$(3)}
  order by hour`,
);

/** How long runs took, by hour. */
export class DurationStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @param sourceId  a queue's, or the team's for all that it runs @param from  of whose hour they begin */
  async readHours(teamId: string, sourceId: string, from: number): Promise<DurationHour[]> {
    const parameters = [teamId, sourceId, from - (from % HOUR_MS)];
    const rows = await this.#db.read((db) => runHot(db, this.#db.dialect, readHours, parameters));
    return rows.map((row) => {
      const counts = COLUMNS.map((column) => row[column] ?? 0);
      return { hour: row.hour, outcome: row.outcome, counts };
    });
  }
}
