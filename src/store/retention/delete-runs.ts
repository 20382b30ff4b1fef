import { OTHER_FAILURES } from '../runs/status-lists.ts';
import type { Database, Trx } from '../database/database.ts';
import { remove } from '../database/rows.ts';
import { type Dialect, packRows } from '../database/dialect.ts';
import { type PreparedStatement, preparedStatement } from '../database/prepared.ts';
import { type EndedTable, KEY, type RunTable } from '../runs/run-tables.ts';
import { DAY_MS } from '#domain/instant';

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
  const removed = await db.transact((trx) => trx.rows(DELETE_RUNS[table], [packRows(KEY, keys)]));
  return removed.length;
}

const BATCH = 1000;

/** In small transactions, so others can write in between. */
export async function deleteRunsOf(
  db: Database,
  ownerId: string,
  find: Partial<Record<RunsTable, Found['statement']>>,
): Promise<number> {
  let total = 0;
  for (const [table, statement] of Object.entries(find)) {
    const found = { statement, parameters: [ownerId] };
    for (let removed = BATCH; removed > 0; total += removed) {
      removed = await deleteFound(db, table as RunsTable, found, BATCH);
    }
  }
  return total;
}

/**
 * With the rows that track its state, but not its runs.
 * @returns 0: there is none
 */
export async function deleteSource(
  trx: Trx,
  table: 'crons' | 'queues',
  key: { team_id: string; id: string },
): Promise<number> {
  const source = { team_id: key.team_id, source_id: key.id };
  const queue = { team_id: key.team_id, queue_id: key.id };
  const ofQueue =
    table === 'queues' ? (['queue_watches', 'failing_queues', 'taken_slots'] as const) : [];
  // First, because settlements lock a spell, and checks a watch, and then the source.
  await remove(trx, 'slow_spells', source);
  if (table === 'queues') await remove(trx, 'queue_watches', queue);
  // Waits for running settlements, which may add rows.
  const gone = await remove(trx, table, key);
  for (const each of ['slow_spells', 'ending_certificates'] as const)
    await remove(trx, each, source);
  for (const each of ofQueue) await remove(trx, each, queue);
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

export const findJobsOfQueue = {
  jobs: findLiveJobsOfQueue,
  ended_jobs: findBy('ended_jobs', 'queue_id', 'status, completed_at'),
};

export const findExecutionsOfCron = {
  executions: findBy('executions', 'cron_id'),
  ended_executions: findBy('ended_executions', 'cron_id'),
};

export const findEndedOfTeam = {
  ended_jobs: findBy('ended_jobs', 'team_id'),
  ended_executions: findBy('ended_executions', 'team_id'),
};

const findOld = (name: string, table: (dialect: Dialect) => string, state: string, days?: string) =>
  preparedStatement<RunKey>(name, (dialect) =>
    findOldJobs(dialect, table(dialect), state, days ?? dialect.$(2)),
  );
const endedJobs = () => 'ended_jobs';

/** Older than their queue's number of days. Parameters: now, limit */
export const findOldDeadLetters = findOld(
  'find-old-dead-letters',
  endedJobs,
  `status = 'dead_lettered'`,
  'q.dead_letter_days',
);

/** By their end alone. Parameters: now, days, limit */
export const findDeadLettersBySize = findOld(
  'find-dead-letters-by-size',
  endedJobs,
  `status = 'dead_lettered'`,
);

/** Other old failed attempts. Parameters: now, days, limit */
export const findOldFailures = findOld(
  'find-old-failures',
  endedJobs,
  `status in ${OTHER_FAILURES}`,
);

const SUCCESS = `status = 'success'`;

/** Old successful jobs that are in no partition by time. Parameters: now, days, limit */
export const findOldSuccesses = findOld(
  'find-old-successes',
  ({ unpartitioned }) => unpartitioned,
  SUCCESS,
);

/** In partitions that were made for a longer history. */
export const findOverdueSuccesses = findOld('find-overdue-successes', endedJobs, SUCCESS);

/** A queue without old jobs costs one index step. */
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

/** $1 the latest end, $2 limit. Each statement names the condition of its partial index, so only that one serves it. */
export const findOldExecutions = findEndedBefore('find-old-executions', "status <> '' and");
export const findOldSuccessfulExecutions = findEndedBefore(
  'find-old-successful-executions',
  "status = 'success' and",
);

/**
 * One index step per owner, however many runs each has.
 * @param state the partial index's condition
 * @param isOwner that `x` is the owner `o.owner_id`
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

/** By team and id. Searching the first run of each cron keeps the plan on the index. */
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
