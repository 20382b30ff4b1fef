import type { Database } from '../database.ts';
import { runHot } from '../hot.ts';
import { pageStatement } from './statement.ts';

/** Of each queue no more is counted: a team may have many. */
export const MOST_IN_A_ROW = 1_000;

/** What a queue holds at this moment. */
export interface QueueLoad {
  queueId: string;
  /** At most `MOST_IN_A_ROW` and one more. */
  waiting: number;
  running: number;
  nextDueAt: number | null;
  /** Since the time asked for; at most `MOST_IN_A_ROW` and one more. */
  failed: number;
}

/** Each number is one short index range of the queue. 1 team, 2 since */
const readLoads = pageStatement<{
  queue_id: string;
  waiting: number;
  running: number;
  next_due_at: number | null;
  failed: number;
}>('read-queue-loads', (dialect) => {
  const [team, since] = dialect === 'postgres' ? ['$1', '$2'] : ['?1', '?2'];
  const most = MOST_IN_A_ROW + 1;
  const ended = (status: string) => `
    (select count(*) from (select 1 from jobs j where j.queue_id = q.id and j.status = '${status}'
      and j.completed_at is not null and j.completed_at >= ${since}
      order by j.completed_at limit ${most}) as ${status})`;
  return `
  select q.id as queue_id,
    (select count(*) from (select 1 from jobs j where j.queue_id = q.id and j.status = 'pending'
      order by j.scheduled_at limit ${most}) as waiting) as waiting,
    (select count(*) from jobs j where j.queue_id = q.id and j.status = 'processing') as running,
    (select j.scheduled_at from jobs j where j.queue_id = q.id and j.status = 'pending'
      order by j.scheduled_at, j.id limit 1) as next_due_at,
    ${ended('dead_lettered')} + ${ended('failed')} as failed
  from queues q where q.team_id = ${team}`;
});

/** What each of a team's queues holds. */
export async function readQueueLoads(
  db: Database,
  teamId: string,
  failedSince: number,
): Promise<Map<string, QueueLoad>> {
  const rows = await db.read((reader) =>
    runHot(reader, db.dialect, readLoads, [teamId, failedSince]),
  );
  return new Map(
    rows.map((row) => [
      row.queue_id,
      {
        queueId: row.queue_id,
        waiting: row.waiting,
        running: row.running,
        nextDueAt: row.next_due_at,
        failed: row.failed,
      },
    ]),
  );
}
