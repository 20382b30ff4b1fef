import { OTHER_FAILURES } from '../runs/status-lists.ts';
import type { Database, Trx } from '../database/database.ts';
import { remove } from '../database/rows.ts';
import { type Dialect, packRows } from '../database/dialect.ts';
import { type PreparedStatement, preparedStatement } from '../database/prepared.ts';
import { type EndedTable, KEY, type RunTable } from '../runs/run-tables.ts';
import { DAY_MS } from '#domain/base/instant';

export interface RunKey {
  team_id: string;
  id: string;
}

export type RunsTable = RunTable | EndedTable;

const namedLike = (table: RunsTable) => table.replace('_', '-');

const deleteFrom = (table: RunsTable) =>
  preparedStatement<{ id: string }>(
    `delete-${namedLike(table)}`,
    (dialect) => `${dialect.deleteGiven(table, KEY, 1)} returning ${table}.id`,
  );

const DELETE_RUNS: Record<RunsTable, PreparedStatement<{ id: string }>> = {
  jobs: deleteFrom('jobs'),
  executions: deleteFrom('executions'),
  ended_jobs: deleteFrom('ended_jobs'),
  ended_executions: deleteFrom('ended_executions'),
};

/** Its last parameter is the most rows. */
export interface Found {
  statement: PreparedStatement<RunKey>;
  parameters: readonly (string | number)[];
}

/** Finds runs outside of any transaction, to block no writer. */
export async function deleteFound(
  db: Database,
  table: RunsTable,
  { statement, parameters }: Found,
  limit: number,
): Promise<number> {
  const keys = await db.read(statement, [...parameters, limit]);
  if (keys.length === 0) return 0;
  const removed = await db.rows(DELETE_RUNS[table], [packRows(KEY, keys)]);
  return removed.length;
}

const BATCH = 1000;

/**
 * The cron or queue first, so no more runs start, then its runs in small transactions, so others can write in between.
 * Retention deletes the rest after a crash.
 * @returns the number of runs; null: there is no such source
 */
export async function deleteWithRuns(
  db: Database,
  source: 'crons' | 'queues',
  key: RunKey,
): Promise<number | null> {
  if ((await db.transact((trx) => deleteSource(trx, source, key))) === 0) return null;
  let total = 0;
  for (const table of RUNS_OF[source]) {
    const found = { statement: FIND_BY_SOURCE[table], parameters: [key.id] };
    for (let removed = BATCH; removed > 0; total += removed)
      removed = await deleteFound(db, table, found, BATCH);
  }
  return total;
}

const RUNS_OF = {
  crons: ['executions', 'ended_executions'],
  queues: ['jobs', 'ended_jobs'],
} as const;

/**
 * With the rows that track its state, but not its runs.
 * @returns 0: there is none
 */
export async function deleteSource(
  trx: Trx,
  table: 'crons' | 'queues',
  key: RunKey,
): Promise<number> {
  const source = { team_id: key.team_id, source_id: key.id };
  const queue = { team_id: key.team_id, queue_id: key.id };
  // First, because settlements lock a spell and then its source.
  await remove(trx, 'slow_spells', source);
  // Waits for running settlements, which may add rows.
  const gone = await remove(trx, table, key);
  for (const each of ['slow_spells', 'ending_certificates'] as const)
    await remove(trx, each, source);
  if (table === 'queues')
    for (const each of ['queue_watches', 'failing_queues', 'taken_slots'] as const)
      await remove(trx, each, queue);
  return gone;
}

const findLiveJobsOfQueue = preparedStatement<RunKey>('find-live-jobs-of-queue', (dialect) => {
  // Without the index's order, Postgres may read the table from its start each time.
  const part = (name: string, state: string, order: string) => `
    select * from (
      select team_id, id from jobs where queue_id = ${dialect.$(1)} and status = '${state}'
      order by ${order} limit ${dialect.$(2)}
    ) as ${name}`;
  return `
  select team_id, id from (
    ${part('waiting', 'pending', 'scheduled_at, id')}
    union all ${part('running', 'processing', 'queue_id')}
  ) as every_state limit ${dialect.$(2)}`;
});

/** $1 the column's value, $2 limit */
const findBy = (table: RunsTable, column: string, order = 'id') =>
  preparedStatement<RunKey>(
    `find-${namedLike(table)}-by-${column.replace('_id', '')}`,
    ({ $ }) => `
    select team_id, id from ${table} where ${column} = ${$(1)} order by ${order} limit ${$(2)}`,
  );

export const FIND_BY_SOURCE: Record<RunsTable, Found['statement']> = {
  jobs: findLiveJobsOfQueue,
  ended_jobs: findBy('ended_jobs', 'queue_id', 'status, completed_at'),
  executions: findBy('executions', 'cron_id'),
  ended_executions: findBy('ended_executions', 'cron_id'),
};

export const FIND_BY_TEAM: Record<EndedTable, Found['statement']> = {
  ended_jobs: findBy('ended_jobs', 'team_id'),
  ended_executions: findBy('ended_executions', 'team_id'),
};

/** A queue without old jobs costs one index step. $1 now, $2 days, $3 limit */
function findOldJobs(
  name: string,
  state: string,
  special: (dialect: Dialect) => { table?: string; days?: string } = () => ({}),
) {
  return preparedStatement<RunKey>(`find-${name}`, (dialect) => {
    const { table = 'ended_jobs', days = dialect.$(2) } = special(dialect);
    const before = `${dialect.$(1)} - cast(${days} as bigint) * ${DAY_MS}`;
    const condition = `j.queue_id = q.id and j.${state} and j.completed_at <= ${before}`;
    const limit = dialect.$(3);
    const old = { table, columns: 'j.team_id, j.id', condition, limit };
    return `select j.team_id, j.id from queues q ${dialect.joinUpTo(old)} limit ${limit}`;
  });
}

const SUCCESS = `status = 'success'`;

export const OLD_JOBS = {
  /** At most as old as their queue allows. */
  deadLetters: findOldJobs('old-dead-letters', `status = 'dead_lettered'`, ({ $, least }) => {
    return { days: least('q.dead_letter_days', $(2)) };
  }),
  /** Other failed attempts. */
  failures: findOldJobs('old-failures', `status in ${OTHER_FAILURES}`),
  /** In no partition by time. */
  successes: findOldJobs('old-successes', SUCCESS, ({ unpartitioned: table }) => ({ table })),
  /** Also in partitions that were made for a longer history. */
  overdueSuccesses: findOldJobs('overdue-successes', SUCCESS),
};

/** Names the condition of its partial index, so only that one serves it. $1 the latest end, $2 limit */
const findOldExecutions = (name: string, state: string) =>
  preparedStatement<RunKey>(`find-${name}`, ({ $ }) => {
    return `select team_id, id from ended_executions where ${state} and completed_at <= ${$(1)}
      order by completed_at limit ${$(2)}`;
  });

export const OLD_EXECUTIONS = {
  any: findOldExecutions('old-executions', "status <> ''"),
  successes: findOldExecutions('old-successful-executions', SUCCESS),
};

/** One index step per queue or cron, however many runs each has. */
function findGone(table: RunsTable, source: 'queues' | 'crons') {
  const id = source === 'queues' ? 'queue_id' : 'cron_id';
  // The condition of the partial index.
  const state = table === 'jobs' ? "r.status = 'pending' and " : '';
  // Searching the first run of each cron keeps the plan on the index.
  const ofTeam =
    source === 'queues'
      ? ''
      : ` and x.team_id = (
        select r.team_id from ${table} r where r.cron_id >= o.source_id order by r.cron_id limit 1)`;
  return preparedStatement<{ source_id: string }>(`find-gone-by-${namedLike(table)}`, (dialect) => {
    const next = (after: string) => `select r.${id} from ${table} r
      where ${state}r.${id} > ${after} order by r.${id} limit 1`;
    return `
    with recursive source_ids(source_id) as (
      select (${next(dialect.$(1, 'id'))})
      union all
      select (${next('o.source_id')}) from source_ids o where o.source_id is not null
    )
    select o.source_id from source_ids o where o.source_id is not null
      and (select x.id from ${source} x where x.id = o.source_id${ofTeam} limit 1) is null`;
  });
}

/** Deleted queues and crons of which runs are left. $1 the first id */
export const FIND_GONE: Record<RunsTable, PreparedStatement<{ source_id: string }>> = {
  jobs: findGone('jobs', 'queues'),
  ended_jobs: findGone('ended_jobs', 'queues'),
  executions: findGone('executions', 'crons'),
  ended_executions: findGone('ended_executions', 'crons'),
};
