import { insertCallbacksOf } from '../callbacks/callbacks.ts';
import { insertCopies } from '../jobs/copy-jobs.ts';
import type { Dialect } from '../database/dialect.ts';
import { countBatch } from '../figures/batch-counts.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { TransactionScript } from '../database/transaction-script.ts';
import {
  ENDED,
  KEPT_COLUMNS,
  OUTCOME_COLUMNS,
  RUNNING,
  SOURCE_COLUMN,
  type RunTable,
} from './run-tables.ts';
import {
  type EndedRow,
  insertEnded,
  NO_ROWS,
  type PackedSettlements,
  streakOf,
} from './settlement.ts';

/** A run that is no longer this node's stays. */
function takeOut(dialect: Dialect, table: RunTable, byPlace: boolean): string {
  return `
  delete from ${table} using ends
  where ${byPlace ? `${table}.ctid = ends.place and ${table}.id = ends.id` : dialect.hasKeyOf(table, 'ends')}
    and ${dialect.withoutIndex(`${table}.status`)} = '${RUNNING[table]}'
    and ${table}.claimed_by = ${dialect.$(1)}
  returning ${KEPT_COLUMNS[table].map((name) => `${table}.${name}`).join(', ')},
    ${table}.${SOURCE_COLUMN[table]} as source_id, ends.duration_step,
    ${OUTCOME_COLUMNS.map((name) => `ends.${name}`).join(', ')}`;
}

const FIRST_OF_ENDS = 2;
const CALLBACKS = FIRST_OF_ENDS + Object.keys(ENDED).length;
const COPIES = CALLBACKS + 1;

function followUps(dialect: Dialect, table: RunTable): string {
  const callbacks = insertCallbacksOf(dialect, CALLBACKS, 'join ended on ended.id = given.run_id');
  const attempts = insertCopies(dialect, COPIES, 'ended');
  return `, callbacks_of as (${callbacks}) ${table === 'jobs' ? `, next_attempts as (${attempts})` : ''}`;
}

/**
 * One statement, because on Postgres each costs a round trip. Every part depends on the rows that
 * `ended` has deleted: runs that were still under this node's claim. $1 node, from $2 on the ends,
 * then callbacks and next attempts if there are any
 * @param hasFollowUps false leaves out the parts for callbacks and next attempts: the server prepares
 * each part even if it has no rows
 */
const endText = (table: RunTable, byPlace: boolean, hasFollowUps: boolean) => (dialect: Dialect) =>
  `
  with ends as materialized (
    select given.* from ${dialect.columns(ENDED, FIRST_OF_ENDS)} ${dialect.limitLockWaits}
  ), ended as (${takeOut(dialect, table, byPlace)}
  ), written as (${insertEnded(dialect, table, { kept: 'ended', outcome: 'ended', from: 'ended' })}
  ), counted as (${countBatch('ended')}
  ) ${hasFollowUps ? followUps(dialect, table) : ''}
  ${table === 'jobs' ? IDS_UNLESS_ALL : `select ended.id ${streakOf(table, 'ended')} from ended`}`;

/** Most batches end whole. */
const IDS_UNLESS_ALL = `select case when count(*) < (select count(*) from ends)
    then coalesce(array_agg(id), '{}') end as ids from ended`;

function endStatements<Row>(table: RunTable, byPlace: boolean) {
  const name = `end-${table}${byPlace ? '-by-place' : ''}`;
  return {
    alone: preparedStatement<Row>(`${name}-at-once`, endText(table, byPlace, false)),
    withFollowUps: preparedStatement<Row>(`${name}-with-follow-ups`, endText(table, byPlace, true)),
  };
}

const END_JOBS = endStatements<{ ids: string[] | null }>('jobs', false);
const END_JOBS_BY_PLACE = endStatements<{ ids: string[] | null }>('jobs', true);
const END_EXECUTIONS = endStatements<EndedRow>('executions', false);

export const endRuns: TransactionScript<PackedSettlements, EndedRow[] | null> = {
  name: 'end-runs',
  isOneStatement: true,
  async run(runner, { table, nodeId, ends, byPlace, callbacks, copies }) {
    const parameters = [nodeId, ...ends];
    const which = callbacks === NO_ROWS && copies === NO_ROWS ? 'alone' : 'withFollowUps';
    if (which === 'withFollowUps') parameters.push(callbacks);
    if (table === 'executions') return runner.rows(END_EXECUTIONS[which], parameters);
    if (which === 'withFollowUps') parameters.push(copies);
    const statements = byPlace ? END_JOBS_BY_PLACE : END_JOBS;
    const [ended] = await runner.rows(statements[which], parameters);
    return ended?.ids?.map((id) => ({ id })) ?? null;
  },
};
