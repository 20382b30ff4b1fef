import { OTHER_FAILURES } from '../runs/status-lists.ts';
import type { Database, Trx } from '../database/database.ts';
import { type Dialect, packRows } from '../database/dialect.ts';
import { type PreparedStatement, preparedStatement } from '../database/prepared.ts';
import { type EndedTable, KEY, type RunTable } from '../runs/run-tables.ts';
import { DAY_MS } from '#domain/instant';

/** Names one job or execution. */
export interface RunKey {
  team_id: string;
  id: string;
}

/** The tables of waiting or running runs, and of ended ones. */
export type RunsTable = RunTable | EndedTable;

function deleteFrom(table: RunsTable) {
  return preparedStatement<{ id: string }>(
    `delete-${table.replace('_', '-')}`,
    (dialect) => `${dialect.deleteGiven(table, KEY, 1)} returning ${table}.id`,
  );
}

const DELETE_RUNS: Record<RunsTable, ReturnType<typeof deleteFrom>> = {
  jobs: deleteFrom('jobs'),
  executions: deleteFrom('executions'),
  ended_jobs: deleteFrom('ended_jobs'),
  ended_executions: deleteFrom('ended_executions'),
};

/** @returns how many of the runs existed */
export async function deleteRuns(
  trx: Trx,
  table: RunsTable,
  keys: readonly RunKey[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const rows = packRows(
    KEY,
    keys.map(({ team_id, id }) => ({ team_id, id })),
  );
  return (await trx.rows(DELETE_RUNS[table], [rows])).length;
}

/** A query for runs to delete; its last parameter is the most rows. */
export interface Found {
  statement: PreparedStatement<RunKey>;
  parameters: readonly (string | number)[];
}

/** One small step: finds runs outside of any transaction, so that it blocks no writer, and then deletes those. */
export async function deleteFound(
  db: Database,
  table: RunsTable,
  { statement, parameters }: Found,
  limit: number,
): Promise<number> {
  const keys = await db.read(statement, [...parameters, limit]);
  if (keys.length === 0) return 0;
  return db.transact((trx) => deleteRuns(trx, table, keys));
}

const BATCH = 1000;

/** Deletes all found runs, in small transactions between which others get their turn. */
export async function deleteAllFound(
  db: Database,
  table: RunsTable,
  found: Found,
): Promise<number> {
  for (let total = 0; ;) {
    const gone = await deleteFound(db, table, found, BATCH);
    if (gone === 0) return total;
    total += gone;
  }
}

/** A queue's waiting or running jobs. Each part reads a separate index range. */
const findLiveJobsOfQueue = preparedStatement<RunKey>('find-live-jobs-of-queue', (dialect) => {
  // Ordered as the index is: without an order, Postgres may read the table from its start again each time.
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

const findEndedJobsOfQueue = preparedStatement<RunKey>(
  'find-ended-jobs-of-queue',
  (dialect) => `
  select team_id, id from ended_jobs where queue_id = ${dialect.$(1)}
  order by status, completed_at limit ${dialect.$(2)}`,
);

/** Parameters: 1 queue, 2 how many */
export const findJobsOfQueue = { jobs: findLiveJobsOfQueue, ended_jobs: findEndedJobsOfQueue };

function findOfCron(table: 'executions' | 'ended_executions') {
  return preparedStatement<RunKey>(
    `find-${table.replace('_', '-')}-of-cron`,
    (dialect) => `
    select team_id, id from ${table} where cron_id = ${dialect.$(1)}
    order by id limit ${dialect.$(2)}`,
  );
}

/** Parameters: 1 cron, 2 how many */
export const findExecutionsOfCron = {
  executions: findOfCron('executions'),
  ended_executions: findOfCron('ended_executions'),
};

function findOfTeam(table: EndedTable) {
  return preparedStatement<RunKey>(
    `find-${table.replace('_', '-')}-of-team`,
    (dialect) => `
    select team_id, id from ${table} where team_id = ${dialect.$(1)} order by id limit ${dialect.$(2)}`,
  );
}

/** Parameters: 1 team, 2 how many */
export const findEndedOfTeam = {
  ended_jobs: findOfTeam('ended_jobs'),
  ended_executions: findOfTeam('ended_executions'),
};

/** Dead letters older than their queue's number of days. */
export const findOldDeadLetters = preparedStatement<RunKey>('find-old-dead-letters', (dialect) =>
  findOldJobs(dialect, 'ended_jobs', `status = 'dead_lettered'`, 'q.dead_letter_days'),
);

/** Other old failed attempts. Parameters: now, days, how many */
export const findOldFailures = preparedStatement<RunKey>('find-old-failures', (dialect) =>
  findOldJobs(dialect, 'ended_jobs', `status in ${OTHER_FAILURES}`, dialect.$(2)),
);

const SUCCESS = `status = 'success'`;

/** Old successful jobs that are in no partition by time. Parameters: now, days, how many */
export const findOldSuccesses = preparedStatement<RunKey>('find-old-successes', (dialect) =>
  findOldJobs(dialect, dialect.unpartitioned, SUCCESS, dialect.$(2)),
);

/**
 * Old successful jobs in any partition: those that should have been dropped, but are in a partition made for a longer
 * history.
 */
export const findOverdueSuccesses = preparedStatement<RunKey>('find-overdue-successes', (dialect) =>
  findOldJobs(dialect, 'ended_jobs', SUCCESS, dialect.$(2)),
);

/** Reads each queue's range up to the wanted number. A queue without old jobs costs one index step. */
function findOldJobs(dialect: Dialect, table: string, state: string, days: string): string {
  const limit = dialect.$(days.startsWith('q.') ? 2 : 3);
  const age = `cast(${days} as bigint) * ${DAY_MS}`;
  const condition = `j.queue_id = q.id and j.${state} and j.completed_at <= ${dialect.$(1)} - ${age}`;
  const old = { table, columns: 'j.team_id, j.id', condition, limit };
  return `select j.team_id, j.id from queues q ${dialect.joinUpTo(old)} limit ${limit}`;
}

function findEndedBefore(name: string, state: string) {
  return preparedStatement<RunKey>(name, (dialect) => {
    return `select team_id, id from ended_executions where ${state} completed_at <= ${dialect.$(1)}
      order by completed_at limit ${dialect.$(2)}`;
  });
}

/**
 * Parameters: 1 the latest end, 2 how many. Each statement names the condition of its partial index, so that only that
 * index serves it.
 */
export const findOldExecutions = findEndedBefore('find-old-executions', "status <> '' and");
export const findOldSuccessfulExecutions = findEndedBefore(
  'find-old-successful-executions',
  "status = 'success' and",
);

/**
 * Finds owners (queues, crons) that runs refer to and that no longer exist. It walks the index with one step per owner,
 * however many runs each has.
 *
 * @param state  the condition of the partial index of runs
 * @param isOwner  the condition that `x` is the owner `o.owner_id`
 */
function findGoneOwners(
  name: string,
  [runs, ownerId, state]: readonly [runs: string, ownerId: string, state: string],
  [owners, isOwner]: readonly [owners: string, isOwner: string],
) {
  return preparedStatement<{ owner_id: string }>(name, (dialect) => {
    const first = dialect.$(1, 'id');
    const next = (after: string) => `select r.${ownerId} from ${runs} r
      where ${state} and r.${ownerId} > ${after} order by r.${ownerId} limit 1`;
    return `
    with recursive owner_ids(owner_id) as (
      select (${next(first)})
      union all
      select (${next('o.owner_id')}) from owner_ids o where o.owner_id is not null
    )
    select o.owner_id from owner_ids o where o.owner_id is not null
      and (select x.id from ${owners} x where ${isOwner} limit 1) is null`;
  });
}

const QUEUES = ['queues', 'x.id = o.owner_id'] as const;

export const findGoneQueues = {
  jobs: findGoneOwners(
    'find-gone-queues-live',
    ['jobs', 'queue_id', "r.status = 'pending'"],
    QUEUES,
  ),
  ended_jobs: findGoneOwners('find-gone-queues-ended', ['ended_jobs', 'queue_id', 'true'], QUEUES),
};

/** Crons are found by team and id. Searching the first run of each cron keeps the plan on the index. */
function findGoneCronsOf(table: 'executions' | 'ended_executions') {
  return findGoneOwners(
    `find-gone-crons-${table.replace('_', '-')}`,
    [table, 'cron_id', 'true'],
    [
      'crons',
      `x.id = o.owner_id and x.team_id = (
        select r.team_id from ${table} r where r.cron_id >= o.owner_id order by r.cron_id limit 1)`,
    ],
  );
}

export const findGoneCrons = {
  executions: findGoneCronsOf('executions'),
  ended_executions: findGoneCronsOf('ended_executions'),
};
