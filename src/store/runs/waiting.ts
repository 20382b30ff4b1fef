import type { Database } from '../database/database.ts';
import { packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { RunTable } from './run-tables.ts';
import { FROM, type StartingPoints } from './starting-points.ts';

export interface WaitingGroup {
  /** For crons the team's. */
  id: string;
  teamId: string;
  nextDueAt: number;
}

interface WaitingRow {
  id: string;
  team_id: string;
  next_due_at: number;
}

/** Of `teams t`. */
export const teamHeads = (isCron = '', isExecution = '') => `
  case when t.paused_at is null then (select c.next_run_at from crons c
    where c.team_id = t.id and c.next_run_at is not null ${isCron}
    order by c.next_run_at limit 1) end as next_run_at,
  (select e.created_at from executions e
    where e.team_id = t.id and e.status = 'pending' ${isExecution}
    order by e.created_at limit 1) as waiting_since`;

/** One index step per group, from its starting point. $1 groups with a point of their own, $2 the others' point */
const SCANS = {
  jobs: preparedStatement<WaitingRow>(
    'scan-waiting-queues',
    (dialect) => `
    with heads as materialized (
      select q.id, q.team_id, (
        select j.scheduled_at from jobs j where j.queue_id = q.id and j.status = 'pending'
          and j.scheduled_at >= coalesce(given.from_at, ${dialect.$(2)})
        order by j.scheduled_at, j.id limit 1
      ) as next_due_at
      from queues q left join ${dialect.rows(FROM, 1)} on given.id = q.id
    )
    select * from heads where next_due_at is not null`,
  ),
  // With a join the planner might read all crons.
  executions: preparedStatement<WaitingRow>('scan-waiting-teams', (dialect) => {
    const from = `coalesce(given.from_at, ${dialect.$(2)})`;
    return `
    with heads as materialized (
      select t.id, ${teamHeads(`and c.next_run_at >= ${from}`, `and e.created_at >= ${from}`)}
      from teams t left join ${dialect.rows(FROM, 1)} on given.id = t.id
      where t.deleted_at is null
    )
    select id, id as team_id, case when waiting_since is null or next_run_at < waiting_since
      then next_run_at else waiting_since end as next_due_at
    from heads where next_run_at is not null or waiting_since is not null`;
  }),
};

export async function scanWaiting(
  db: Database,
  table: RunTable,
  points: StartingPoints,
  now: number,
): Promise<WaitingGroup[]> {
  const all = !db.dialect.keepsDeadRows || points.isAllDue;
  const rows = await db.read(SCANS[table], all ? [packRows(FROM, []), 0] : points.pack());
  points.scanned(new Map(rows.map(({ id, next_due_at }) => [id, next_due_at])), now, all);
  return rows.map(({ id, team_id, next_due_at }) => {
    return { id, teamId: team_id, nextDueAt: next_due_at };
  });
}
