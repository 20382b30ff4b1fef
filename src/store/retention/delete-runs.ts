import { NO_DEAD_LETTERS } from '../runs/status-lists.ts';
import type { Database, Trx } from '../database/database.ts';
import { type Dialect, packRows } from '../database/dialect.ts';
import { type PreparedStatement, preparedStatement, runPrepared } from '../database/prepared.ts';
import { type EndedTable, KEY, type RunTable } from '../runs/run-tables.ts';

/** Names one job or execution. */
export interface RunKey {
  team_id: string;
  id: string;
}

/** What holds runs: those that wait or run, and those that have ended. */
export type RunsTable = RunTable | EndedTable;

function deleteFrom(table: RunsTable) {
  return preparedStatement<{ id: string }>(
    `delete-${table.replace('_', '-')}`,
    (dialect) => `
    delete from ${table} where (team_id, id) in (
      select team_id, id from ${dialect.rows(KEY, 1)}) returning id`,
  );
}

const DELETE_RUNS: Record<RunsTable, ReturnType<typeof deleteFrom>> = {
  jobs: deleteFrom('jobs'),
  executions: deleteFrom('executions'),
  ended_jobs: deleteFrom('ended_jobs'),
  ended_executions: deleteFrom('ended_executions'),
};

/** @returns how many runs were still there */
export async function deleteRuns(
  trx: Trx,
  dialect: Dialect,
  table: RunsTable,
  keys: readonly RunKey[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const rows = packRows(
    KEY,
    keys.map(({ team_id, id }) => ({ team_id, id })),
  );
  return (await runPrepared(trx, dialect, DELETE_RUNS[table], [rows])).length;
}

/** What finds runs to delete; its last parameter is how many are wanted. */
export interface Found {
  statement: PreparedStatement<RunKey>;
  parameters: readonly (string | number)[];
}

/** One small step: looks for runs outside any transaction, holding up no writer, then deletes those. */
export async function deleteFound(
  db: Database,
  table: RunsTable,
  { statement, parameters }: Found,
  limit: number,
): Promise<number> {
  const keys = await db.read((reader) =>
    runPrepared(reader, db.dialect, statement, [...parameters, limit]),
  );
  if (keys.length === 0) return 0;
  return db.transact((trx) => deleteRuns(trx, db.dialect, table, keys));
}

const BATCH = 1000;
const DAY_MS = 86_400_000;

/** Deletes everything that is found, in small transactions between which others get their turn. */
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

/** A queue's jobs that wait or run; each part is a range of the index that holds it. */
const findLiveJobsOfQueue = preparedStatement<RunKey>('find-live-jobs-of-queue', (dialect) => {
  // The order is the index's own: without one, Postgres may read the table from its start again each time.
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

/** 1 queue, 2 how many */
export const findJobsOfQueue = { jobs: findLiveJobsOfQueue, ended_jobs: findEndedJobsOfQueue };

/** What an earlier version has ended is moved first (older-runs.ts): only then does its response go along. */
function findOfCron(table: 'executions' | 'ended_executions') {
  const isHere = table === 'executions' ? 'and completed_at is null' : '';
  return preparedStatement<RunKey>(
    `find-${table.replace('_', '-')}-of-cron`,
    (dialect) => `
    select team_id, id from ${table} where cron_id = ${dialect.$(1)} ${isHere}
    order by id limit ${dialect.$(2)}`,
  );
}

/** 1 cron, 2 how many */
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

/** 1 team, 2 how many */
export const findEndedOfTeam = {
  ended_jobs: findOfTeam('ended_jobs'),
  ended_executions: findOfTeam('ended_executions'),
};

/** Dead letters whose queue has kept them long enough. */
export const findOldDeadLetters = preparedStatement<RunKey>('find-old-dead-letters', (dialect) =>
  findOldJobs(dialect, 'ended_jobs', `status = 'dead_lettered'`, 'q.dead_letter_days'),
);

const NOT_DEAD = `status in ${NO_DEAD_LETTERS}`;

/** Other finished jobs that are old enough and not in a partition that is dropped: now, days, how many. */
export const findOldJobsOfQueues = preparedStatement<RunKey>('find-old-jobs', (dialect) =>
  findOldJobs(dialect, dialect.unpartitioned, NOT_DEAD, dialect.$(2)),
);

/** The same wherever they are: what should have gone with a partition, and is in one made for a longer history. */
export const findOverdueJobsOfQueues = preparedStatement<RunKey>('find-overdue-jobs', (dialect) =>
  findOldJobs(dialect, 'ended_jobs', NOT_DEAD, dialect.$(2)),
);

/** Jobs that succeeded, wherever they are: now, days, how many. */
export const findOldSuccesses = preparedStatement<RunKey>('find-old-successes', (dialect) =>
  findOldJobs(dialect, 'ended_jobs', `status = 'success'`, dialect.$(2)),
);

/** Each queue's range is read up to what is wanted; a queue with nothing old costs one step of the index. */
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

/** 1 the latest end, 2 how many. Each index is found by who names its condition alone. */
export const findOldExecutions = findEndedBefore('find-old-executions', "status <> '' and");
export const findOldSuccessfulExecutions = findEndedBefore(
  'find-old-successful-executions',
  "status = 'success' and",
);

/**
 * Owners (queues, crons) that runs speak of and that are gone: a walk along the index, one step an owner,
 * however many runs each has.
 *
 * @param state  what the index of the runs asks for
 * @param isOwner  whether `x` is the owner `o.owner_id`
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

/** Crons are found by team and id; asking for the first run from the owner on keeps to the index. */
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
