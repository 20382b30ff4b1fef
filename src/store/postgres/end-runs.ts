import { insertCallbacksOf } from '../callbacks/callbacks.ts';
import { insertCopies } from '../jobs/copy-jobs.ts';
import type { Dialect } from '../database/dialect.ts';
import { countBatch } from '../figures/batch-counts.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
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
  NO_ROWS,
  type PackedSettlements,
  streakOf,
} from '../runs/settlement.ts';

/**
 * Deletes runs from the table of running ones and gives them with their outcomes. A run that is no longer under this
 * node's claim stays.
 */
function takeOut(dialect: Dialect, table: RunTable): string {
  return `
  delete from ${table} using ends
  where ${dialect.hasKeyOf(table, 'ends')}
    and ${dialect.unindexed(`${table}.status`)} = '${RUNNING[table]}'
    and ${table}.claimed_by = ${dialect.$(1)}
  returning ${KEPT_COLUMNS[table].map((name) => `${table}.${name}`).join(', ')},
    ${table}.${SOURCE_COLUMN[table]} as source_id, ends.duration_step,
    ${OUTCOME_COLUMNS.map((name) => `ends.${name}`).join(', ')}`;
}

const FIRST_OF_ENDS = 2;
const CALLBACKS = FIRST_OF_ENDS + Object.keys(ENDED).length;
const COPIES = CALLBACKS + 1;

/** The parts that insert callbacks and next attempts. */
function sequel(dialect: Dialect, table: RunTable): string {
  const told = insertCallbacksOf(dialect, CALLBACKS, 'join ended on ended.id = given.run_id');
  const retried = insertCopies(dialect, COPIES, 'ended');
  return `, told as (${told}) ${table === 'jobs' ? `, retried as (${retried})` : ''}`;
}

/**
 * The whole settlement in one statement, because on Postgres each statement costs a round trip. Every part depends on
 * the rows that `ended` has deleted: runs that were still under this node's claim.
 *
 * $1 node, from $2 on the ends, then callbacks and next attempts if there are any
 *
 * @param hasSequel  false leaves out the parts for callbacks and next attempts: the server prepares each part even if
 * it has no rows
 */
const endText = (table: RunTable, hasSequel: boolean) => (dialect: Dialect) =>
  `
  with ends as materialized (
    select given.* from ${dialect.columns(ENDED, FIRST_OF_ENDS)} ${dialect.briefly}
  ), ended as (${takeOut(dialect, table)}
  ), written as (${insertEnded(dialect, table, { kept: 'ended', outcome: 'ended', from: 'ended' })}
  ), counted as (${countBatch('ended')}
  ) ${hasSequel ? sequel(dialect, table) : ''}
  select ended.id ${streakOf(table, 'ended')} from ended`;

const END = ofEachTable((table) =>
  preparedStatement<EndedRow>(`end-${table}-at-once`, endText(table, false)),
);
const END_WITH_SEQUEL = ofEachTable((table) =>
  preparedStatement<EndedRow>(`end-${table}-with-sequel`, endText(table, true)),
);

export const endRuns: TransactionScript<PackedSettlements, EndedRow[]> = {
  name: 'end-runs',
  isOneStatement: true,
  run(runner, dialect, { table, nodeId, ends, callbacks, copies }) {
    const parameters = [nodeId, ...ends];
    if (callbacks === NO_ROWS && copies === NO_ROWS) {
      return runPrepared(runner, dialect, END[table], parameters);
    }
    parameters.push(callbacks);
    if (table === 'jobs') parameters.push(copies);
    return runPrepared(runner, dialect, END_WITH_SEQUEL[table], parameters);
  },
};
