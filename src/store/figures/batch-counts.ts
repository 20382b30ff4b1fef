import { HOUR_MS } from '#domain/base/instant';
import { durationHours } from '../tables/figures.ts';
import { fieldsOf } from '../tables/table.ts';
import { type Dialect, type Fields, packRows, type RowOf } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { Runner } from '../database/runner.ts';

const OUTCOME_OF_STATUS = `case status when 'dead_lettered' then 'failed' else status end`;

/** By the hour of `completed_at`, and by `durationStep` in `duration_step`. */
export const RUN_GROUP = {
  team_id: 'id',
  source_id: 'id',
  status: 'text',
  completed_at: 'bigint',
  duration_step: 'int',
  runs: 'int',
} as const satisfies Fields;

/**
 * No other transaction writes these rows, so no batch waits.
 * @param ended a table expression with `RUN_GROUP`
 * @param runs how many runs each row has
 */
export function countBatch(ended: string, runs = 'count(*)'): string {
  return `
  insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
  select team_id, source_id, completed_at - completed_at % ${HOUR_MS}, ${OUTCOME_OF_STATUS},
    duration_step, ${runs}
  from ${ended} group by 1, 2, 3, 4, 5`;
}

export const countRunGroups = preparedStatement<never>('count-batch', (dialect) =>
  countBatch(`${dialect.rows(RUN_GROUP, 1)} where true`, 'sum(runs)'),
);

/**
 * The team takes the source's place; the hour gives month and day.
 * @param started a table expression of `team_id` and `runs`
 * @param now the parameter with the claim's time
 */
export function countStartsOf(started: string, now: string): string {
  return `
  insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
  select team_id, team_id, ${now} - ${now} % ${HOUR_MS}, 'started', null, runs from ${started}`;
}

const START = { team_id: 'id', runs: 'int' } as const satisfies Fields;

/** $1 `START`, $2 now */
const countPackedStarts = preparedStatement<never>('count-starts', (dialect) =>
  countStartsOf(`${dialect.rows(START, 1)} where true`, dialect.$(2, 'bigint')),
);

export async function countStarts(
  runner: Runner,
  started: readonly RowOf<typeof START>[],
  now: number,
): Promise<void> {
  if (started.length === 0) return;
  await runner.rows(countPackedStarts, [packRows(START, started), now]);
}

/** `step` is null for runs that weren't sent, and for `started` ones. */
export const HOUR_COUNT = fieldsOf(durationHours.columns);

export type HourCount = RowOf<typeof HOUR_COUNT>;

/** Of some teams, both ids inclusive. */
export interface CountRange {
  teamIds: readonly string[];
  firstId: number;
  lastId: number;
}

/** As text, like the column `withoutIndex`. */
export const TEAM = { team_id: 'text' } as const satisfies Fields;

/**
 * Waits for rows that another node is adding up; after `limitLockWaits` their team counts as locked. By id: with an old
 * snapshot the index by team has all deleted rows.
 *
 * $1 teams, $2 the first id, $3 the last
 */
export function takeCounts(dialect: Dialect): string {
  return `
  delete from batch_counts where id >= ${dialect.$(2)} and id <= ${dialect.$(3)}
    and ${dialect.withoutIndex('team_id')} in (select team_id from ${dialect.rows(TEAM, 1)} ${dialect.limitLockWaits})
  returning team_id, source_id, hour, outcome, step, runs`;
}
