import type { Database, Trx } from './database.ts';
import { type Dialect, packRows } from './dialect.ts';
import { type HotStatement, hotStatement, runHot } from './hot.ts';
import { KEY, ofEachTable, type RunTable } from './run-tables.ts';

/** Names one job or execution. */
export interface RunKey {
  team_id: string;
  id: string;
}

const DELETE_RUNS = ofEachTable((table) =>
  hotStatement<{ id: string }>(
    `delete-${table}`,
    (dialect) => `
    delete from ${table} where (team_id, id) in (
      select team_id, id from ${dialect.rows(KEY, 1)}) returning id`,
  ),
);

const deleteResponses = hotStatement<never>(
  'delete-responses',
  (dialect) => `
  delete from responses where (team_id, run_id) in (
    select team_id, id from ${dialect.rows(KEY, 1)})`,
);

/**
 * Deletes runs, then their responses: an attempt that ends at the same moment either finds its row gone
 * and writes no response, or its response is there to be deleted.
 *
 * @returns how many runs were still there
 */
export async function deleteRuns(
  trx: Trx,
  dialect: Dialect,
  table: RunTable,
  keys: readonly RunKey[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const rows = packRows(
    KEY,
    keys.map(({ team_id, id }) => ({ team_id, id })),
  );
  const gone = await runHot(trx, dialect, DELETE_RUNS[table], [rows]);
  await runHot(trx, dialect, deleteResponses, [rows]);
  return gone.length;
}

/** What finds runs to delete; its last parameter is how many are wanted. */
export interface Found {
  statement: HotStatement<RunKey>;
  parameters: readonly (string | number)[];
}

/** One small step: looks for runs outside any transaction, holding up no writer, then deletes those. */
export async function deleteFound(
  db: Database,
  table: RunTable,
  { statement, parameters }: Found,
  limit: number,
): Promise<number> {
  const keys = await db.read((reader) =>
    runHot(reader, db.dialect, statement, [...parameters, limit]),
  );
  if (keys.length === 0) return 0;
  return db.transact((trx) => deleteRuns(trx, db.dialect, table, keys));
}

const BATCH = 1000;
const DAY_MS = 86_400_000;

/** Deletes everything that is found, in small transactions between which others get their turn. */
export async function deleteAllFound(db: Database, table: RunTable, found: Found): Promise<number> {
  for (let total = 0; ;) {
    const gone = await deleteFound(db, table, found, BATCH);
    if (gone === 0) return total;
    total += gone;
  }
}

/** A queue's jobs in every state, each part a range of the index that holds it. */
export const findJobsOfQueue = hotStatement<RunKey>('find-jobs-of-queue', (dialect) => {
  // The order is the index's own: without one, Postgres may read the table from its start again each time.
  const part = (name: string, state: string, order: string) => `
    select * from (
      select team_id, id from jobs where queue_id = ${dialect.$(1)} and ${state}
      order by ${order} limit ${dialect.$(2)}
    ) as ${name}`;
  return `
  select team_id, id from (
    ${part('waiting', "status = 'pending'", 'scheduled_at, id')}
    union all ${part('running', "status = 'processing'", 'queue_id')}
    union all ${part('finished', 'completed_at is not null', 'status, completed_at')}
  ) as every_state limit ${dialect.$(2)}`;
});

export const findExecutionsOfCron = hotStatement<RunKey>('find-executions-of-cron', (dialect) => {
  return `select team_id, id from executions where cron_id = ${dialect.$(1)} order by id limit ${dialect.$(2)}`;
});

/** Dead letters whose queue has kept them long enough. */
export const findOldDeadLetters = hotStatement<RunKey>('find-old-dead-letters', (dialect) =>
  findOldJobs(dialect, `status = 'dead_lettered'`, 'q.dead_letter_days'),
);

/** Other finished jobs that are old enough: parameters are now, days, how many. */
export const findOldJobsOfQueues = hotStatement<RunKey>('find-old-jobs', (dialect) =>
  findOldJobs(dialect, `status in ('success', 'retried', 'failed')`, dialect.$(2)),
);

/** Each queue's range is read up to what is wanted; a queue with nothing old costs one step of the index. */
function findOldJobs(dialect: Dialect, state: string, days: string): string {
  const limit = dialect.$(days.startsWith('q.') ? 2 : 3);
  const age = `cast(${days} as bigint) * ${DAY_MS}`;
  const condition = `j.queue_id = q.id and j.${state} and j.completed_at <= ${dialect.$(1)} - ${age}`;
  const old = { table: 'jobs', columns: 'j.team_id, j.id', condition, limit };
  return `select j.team_id, j.id from queues q ${dialect.joinUpTo(old)} limit ${limit}`;
}

export const findOldExecutions = hotStatement<RunKey>('find-old-executions', (dialect) => {
  return `select team_id, id from executions where completed_at <= ${dialect.$(1)}
    order by completed_at limit ${dialect.$(2)}`;
});

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
  return hotStatement<{ owner_id: string }>(name, (dialect) => {
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

export const findGoneQueues = [
  findGoneOwners('find-gone-queues-waiting', ['jobs', 'queue_id', "r.status = 'pending'"], QUEUES),
  findGoneOwners(
    'find-gone-queues-finished',
    ['jobs', 'queue_id', 'r.completed_at is not null'],
    QUEUES,
  ),
] as const;

/** Crons are found by team and id; asking for the first run from the owner on keeps to the index. */
export const findGoneCrons = [
  findGoneOwners(
    'find-gone-crons',
    ['executions', 'cron_id', 'true'],
    [
      'crons',
      `x.id = o.owner_id and x.team_id = (
        select r.team_id from executions r where r.cron_id >= o.owner_id order by r.cron_id limit 1)`,
    ],
  ),
] as const;
