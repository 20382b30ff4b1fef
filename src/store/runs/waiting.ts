import type { Database } from '../database/database.ts';
import { packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import { FROM, type StartingPoints } from './starting-points.ts';

export interface WaitingFlow {
  /** For crons the team's. */
  id: string;
  teamId: string;
  nextDueAt: number;
}

/** From its starting point. $1 queues with a point of their own, $2 the others' point */
const scanQueues = preparedStatement<{
  queue_id: string;
  team_id: string;
  scheduled_at: number;
}>(
  'scan-waiting-queues',
  (dialect) => `
  with heads as materialized (
    select q.id as queue_id, q.team_id, (
      select j.scheduled_at from jobs j where j.queue_id = q.id and j.status = 'pending'
        and j.scheduled_at >= coalesce(given.from_at, ${dialect.$(2)})
      order by j.scheduled_at, j.id limit 1
    ) as scheduled_at
    from queues q left join ${dialect.rows(FROM, 1)} on given.id = q.id
  )
  select * from heads where scheduled_at is not null`,
);

/** One index step per queue; on Postgres it doesn't pass entries of jobs that have left. */
export async function scanWaitingQueues(
  db: Database,
  points: StartingPoints,
  now: number,
): Promise<WaitingFlow[]> {
  const { all, parameters } = whereToBegin(db, points);
  const rows = await db.read(scanQueues, parameters);
  const waiting = rows.map(({ queue_id, team_id, scheduled_at }) => {
    return { id: queue_id, teamId: team_id, nextDueAt: scheduled_at };
  });
  const heads = new Map(waiting.map(({ id, nextDueAt }) => [id, nextDueAt]));
  points.scanned(heads, now, all);
  return waiting;
}

/** With a join the planner might read all crons. */
const scanTeams = preparedStatement<{
  team_id: string;
  next_run_at: number | null;
  waiting_since: number | null;
}>('scan-waiting-teams', (dialect) => {
  const from = `coalesce(given.from_at, ${dialect.$(2)})`;
  return `
    with heads as materialized (
      select t.id as team_id,
        case when t.paused_at is null then (select c.next_run_at from crons c
         where c.team_id = t.id and c.next_run_at is not null and c.next_run_at >= ${from}
         order by c.next_run_at limit 1) end as next_run_at,
        (select e.created_at from executions e
         where e.team_id = t.id and e.status = 'pending' and e.created_at >= ${from}
         order by e.created_at limit 1) as waiting_since
      from teams t left join ${dialect.rows(FROM, 1)} on given.id = t.id
      where t.deleted_at is null
    )
    select * from heads where next_run_at is not null or waiting_since is not null`;
});

/** SQLite keeps no entries of runs that have left. */
function whereToBegin({ dialect }: Database, points: StartingPoints) {
  const all = !dialect.keepsDeadRows || points.isAllDue;
  return { all, parameters: all ? [packRows(FROM, []), 0] : points.pack() };
}

/** One index step per team. */
export async function scanWaitingTeams(
  db: Database,
  points: StartingPoints,
  now: number,
): Promise<WaitingFlow[]> {
  const { all, parameters } = whereToBegin(db, points);
  const rows = await db.read(scanTeams, parameters);
  const waiting = rows.map(({ team_id, next_run_at, waiting_since }) => {
    const nextDueAt = Math.min(next_run_at ?? Infinity, waiting_since ?? Infinity);
    return { id: team_id, teamId: team_id, nextDueAt };
  });
  points.scanned(new Map(waiting.map(({ teamId, nextDueAt }) => [teamId, nextDueAt])), now, all);
  return waiting;
}
