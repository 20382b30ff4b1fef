import type { Database } from './database.ts';
import { hotStatement, runHot } from './hot.ts';

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

/** Every queue that has waiting jobs, with the time of its earliest. Costs a step per queue, not per job. */
export async function scanWaitingQueues(db: Database): Promise<WaitingQueue[]> {
  const rows = await db.read((reader) => runHot(reader, db.dialect, scanQueues, [BEFORE_ALL_IDS]));
  return rows.map(({ queue_id, team_id, scheduled_at }) => ({
    queueId: queue_id,
    teamId: team_id,
    nextDueAt: scheduled_at,
  }));
}

/** A step of each index per team; a join would leave the planner free to read all crons instead. */
const scanTeams = hotStatement<{
  team_id: string;
  next_run_at: number | null;
  waiting_since: number | null;
}>(
  'scan-waiting-teams',
  () => `
  select t.id as team_id,
    (select c.next_run_at from crons c where c.team_id = t.id and c.next_run_at is not null
     order by c.next_run_at limit 1) as next_run_at,
    (select e.created_at from executions e where e.team_id = t.id and e.status = 'pending'
     order by e.created_at limit 1) as waiting_since
  from teams t where t.deleted_at is null`,
);

/** Every team with a cron to run or a Run now waiting, with the time of the earliest. Costs a step per team. */
export async function scanWaitingTeams(
  db: Database,
): Promise<{ teamId: string; nextDueAt: number }[]> {
  const rows = await db.read((reader) => runHot(reader, db.dialect, scanTeams, []));
  return rows.flatMap(({ team_id, next_run_at, waiting_since }) => {
    const nextDueAt = Math.min(next_run_at ?? Infinity, waiting_since ?? Infinity);
    return nextDueAt === Infinity ? [] : [{ teamId: team_id, nextDueAt }];
  });
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
