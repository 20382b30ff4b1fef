import type { Database } from './database.ts';
import { packRows, unpackRows } from './dialect.ts';
import { hotStatement, runHot } from './hot.ts';
import { FROM, type StartingPoints } from './starting-points.ts';

/** What waits somewhere, and when the earliest of it is due. */
export interface WaitingQueue {
  queueId: string;
  teamId: string;
  nextDueAt: number;
}

/**
 * One step of the index per queue that has waiting jobs, however many jobs each of them has: from the
 * last queue found, the first entry of the next one.
 */
const scanQueues = hotStatement<{ queue_id: string; team_id: string; scheduled_at: number }>(
  'scan-waiting-queues',
  (dialect) => {
    const first = dialect === 'postgres' ? '$1::uuid' : '?1';
    const nextEntry = (after: string) => `
      select j.queue_id, j.team_id, j.scheduled_at from jobs j
      where j.status = 'pending' and j.queue_id > ${after}
      order by j.queue_id, j.scheduled_at, j.id limit 1`;
    if (dialect === 'postgres') {
      return `
      with recursive heads as (
        (${nextEntry(first)})
        union all
        select n.queue_id, n.team_id, n.scheduled_at from heads h
        cross join lateral (${nextEntry('h.queue_id')}) as n
      ) select * from heads`;
    }
    // SQLite has no lateral join: the walk finds the queues, and each one's first entry is read beside it.
    return `
      with recursive queue_ids(queue_id) as (
        select (select queue_id from jobs where status = 'pending' and queue_id > ${first}
                order by queue_id limit 1)
        union all
        select (select j.queue_id from jobs j where j.status = 'pending' and j.queue_id > q.queue_id
                order by j.queue_id limit 1)
        from queue_ids q where q.queue_id is not null
      )
      select q.queue_id,
        (select j.team_id from jobs j where j.status = 'pending' and j.queue_id = q.queue_id
         order by j.scheduled_at, j.id limit 1) as team_id,
        (select j.scheduled_at from jobs j where j.status = 'pending' and j.queue_id = q.queue_id
         order by j.scheduled_at, j.id limit 1) as scheduled_at
      from queue_ids q where q.queue_id is not null`;
  },
);

const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';

/** A step per queue that there is, from where its look may begin. $1 those that have a point of their own, $2 the others' */
const lookAtQueues = hotStatement<{
  queue_id: string;
  team_id: string;
  scheduled_at: number | null;
}>(
  'look-at-queues',
  (dialect) => `
  select q.id as queue_id, q.team_id, (
    select j.scheduled_at from jobs j where j.queue_id = q.id and j.status = 'pending'
      and j.scheduled_at >= coalesce(given.from_at, $2)
    order by j.scheduled_at, j.id limit 1
  ) as scheduled_at
  from queues q left join ${unpackRows(dialect, FROM, 1)} on given.id = q.id`,
);

/**
 * Every queue that has waiting jobs, with the time of its earliest. Costs a step per queue, not per job, and on
 * Postgres none for jobs that have left.
 */
export async function scanWaitingQueues(
  db: Database,
  points: StartingPoints,
  now: number,
): Promise<WaitingQueue[]> {
  const all = db.dialect === 'sqlite' || points.isAllDue;
  const rows = await db.read((reader) =>
    all
      ? runHot(reader, db.dialect, scanQueues, [BEFORE_ALL_IDS])
      : runHot(reader, db.dialect, lookAtQueues, points.pack()),
  );
  const waiting = rows.flatMap(({ queue_id, team_id, scheduled_at }) =>
    scheduled_at === null ? [] : [{ queueId: queue_id, teamId: team_id, nextDueAt: scheduled_at }],
  );
  const heads = new Map(waiting.map(({ queueId, nextDueAt }) => [queueId, nextDueAt]));
  points.learn(heads, now, all);
  return waiting;
}

/** A step of each index per team; a join would leave the planner free to read all crons instead. */
const scanTeams = hotStatement<{
  team_id: string;
  next_run_at: number | null;
  waiting_since: number | null;
}>('scan-waiting-teams', (dialect) => {
  const [from, points] =
    dialect === 'postgres'
      ? [
          'coalesce(given.from_at, $2)',
          `left join ${unpackRows(dialect, FROM, 1)} on given.id = t.id`,
        ]
      : ['0', ''];
  return `
    select t.id as team_id,
      (select c.next_run_at from crons c
       where c.team_id = t.id and c.next_run_at is not null and c.next_run_at >= ${from}
       order by c.next_run_at limit 1) as next_run_at,
      (select e.created_at from executions e
       where e.team_id = t.id and e.status = 'pending' and e.created_at >= ${from}
       order by e.created_at limit 1) as waiting_since
    from teams t ${points} where t.deleted_at is null`;
});

/** Every team with a cron to run or a Run now waiting, with the time of the earliest. Costs a step per team. */
export async function scanWaitingTeams(
  db: Database,
  points: StartingPoints,
  now: number,
): Promise<{ teamId: string; nextDueAt: number }[]> {
  const all = db.dialect === 'sqlite' || points.isAllDue;
  const fromStart = [packRows(FROM, []), 0];
  const parameters = db.dialect === 'sqlite' ? [] : all ? fromStart : points.pack();
  const rows = await db.read((reader) => runHot(reader, db.dialect, scanTeams, parameters));
  const waiting = rows.flatMap(({ team_id, next_run_at, waiting_since }) => {
    const nextDueAt = Math.min(next_run_at ?? Infinity, waiting_since ?? Infinity);
    return nextDueAt === Infinity ? [] : [{ teamId: team_id, nextDueAt }];
  });
  points.learn(new Map(waiting.map(({ teamId, nextDueAt }) => [teamId, nextDueAt])), now, all);
  return waiting;
}

const scanCallbacks = hotStatement<{ team_id: string; first: string | null }>(
  'scan-callback-teams',
  () => `
  select t.id as team_id,
    (select c.id from callbacks c where c.team_id = t.id order by c.id limit 1) as first
  from teams t where t.deleted_at is null`,
);

/** The teams whose callbacks wait to be sent. Costs a step per team. */
export async function scanCallbackTeams(db: Database): Promise<string[]> {
  const rows = await db.read((reader) => runHot(reader, db.dialect, scanCallbacks, []));
  return rows.flatMap(({ team_id, first }) => (first === null ? [] : [team_id]));
}
