import { insertCallbacksOf } from '../callbacks/callbacks.ts';
import { insertCopies } from '../jobs/copy-jobs.ts';
import type { Dialect } from '../database/dialect.ts';
import { countDurationsOf } from '../figures/durations.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import { countOutcomesOf } from '../figures/outcomes.ts';
import type { TransactionScript } from '../database/transaction-script.ts';
import {
  ENDED,
  KEPT_COLUMNS,
  ofEachTable,
  OUTCOME_COLUMNS,
  RUNNING,
  SOURCE_COLUMN,
  type RunTable,
} from '../runs/run-tables.ts';
import {
  type EndedRow,
  insertEnded,
  type PackedSettlements,
  streakOf,
} from '../runs/settlement.ts';

/** $4 next attempts */
const retried = (dialect: Dialect) => `, retried as (${insertCopies(dialect, 4, 'ended')})`;

/** Takes runs away from what runs. Asks for the claim that each was started under, and leaves it where that is gone. */
function takeOut(dialect: Dialect, table: RunTable): string {
  return `
  delete from ${table} using ends
  where ${table}.team_id = ends.team_id and ${table}.id = ends.id
    and ${dialect.unindexed(`${table}.status`)} = '${RUNNING[table]}'
    and ${table}.claimed_by = ${dialect.$(2)}
  returning ${KEPT_COLUMNS[table].map((name) => `${table}.${name}`).join(', ')}`;
}

/**
 * The whole settlement as one statement: on Postgres each statement costs a round trip. Everything hangs on the
 * rows that `ended` could take out: those still under this node's claim.
 *
 * $1 ends, $2 node, $3 callbacks
 */
const END = ofEachTable((table) =>
  preparedStatement<EndedRow>(
    `settle-${table}-at-once`,
    (dialect) => `
  with ends as materialized (
    select given.* from ${dialect.rows(ENDED, 1)} ${dialect.briefly}
  ), ended as (${takeOut(dialect, table)}
  ), outcomes as materialized (
    select ended.*, ended.${SOURCE_COLUMN[table]} as source_id,
      ${OUTCOME_COLUMNS.map((name) => `ends.${name}`).join(', ')}
    from ended join ends on ends.team_id = ended.team_id and ends.id = ended.id
  ), written as (${insertEnded(dialect, table, { kept: 'outcomes', outcome: 'outcomes', from: 'outcomes' })}
  ), told as (${insertCallbacksOf(dialect, 3, 'join ended on ended.id = given.run_id')}
  ), counted as (${countOutcomesOf('outcomes')}
  ), timed as (${countDurationsOf('outcomes')}
  ) ${table === 'jobs' ? retried(dialect) : ''}
  select ended.team_id, ended.id ${streakOf(table, 'ended')} from ended`,
  ),
);

export const endRuns: TransactionScript<PackedSettlements, EndedRow[]> = {
  name: 'end-runs',
  isOneStatement: true,
  run(runner, dialect, { table, nodeId, ends, callbacks, copies }) {
    const parameters = [ends, nodeId, callbacks];
    if (table === 'jobs') parameters.push(copies);
    return runPrepared(runner, dialect, END[table], parameters);
  },
};
