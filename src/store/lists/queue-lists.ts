import type { Clock } from '#domain/base/clock';
import { FAILED_JOB_STATUSES } from '#domain/runs/run-status';
import type { Database } from '../database/database.ts';
import { IDS, packIds } from '../database/dialect.ts';
import { bound, type BoundedCount, COUNT_LIMIT } from '../database/bounded-count.ts';
import { REASONS, UNRESENT } from './ranges.ts';
import { pageStatement } from '../database/prepared.ts';
import { sql } from '../database/sql.ts';

export const MOST_IN_A_ROW = 1_000;

export interface QueueLoad {
  queueId: string;
  /** At most `MOST_IN_A_ROW` and one more. */
  waiting: number;
  nextDueAt: number | null;
  /** Since the requested time, not resent. */
  failed: number;
}

interface QueuesAsked {
  teamId: string;
  queueIds: readonly string[];
}

/**
 * A short index range per queue and number. Waiting jobs are counted from the first one on: with an old snapshot, dead
 * entries lie before it.
 *
 * $1 queues, $2 team, $3 since
 */
const readLoads = pageStatement<QueueLoad>('read-queue-loads', (dialect) => {
  const [team, since] = [dialect.$(2), dialect.$(3)];
  const most = MOST_IN_A_ROW + 1;
  // The index has the reason before the time.
  const ways = FAILED_JOB_STATUSES.flatMap((status) =>
    REASONS.map((reason) => `select '${status}' as status, '${reason}' as reason`),
  );
  const failed = `
    (select count(*) from (select 1 from (${ways.join(' union all ')}) as way cross join ended_jobs j
      where j.queue_id = q.id and j.status = way.status and ${UNRESENT}
      and coalesce(j.reason, '') = way.reason and j.completed_at >= ${since} limit ${most}) as failed)`;
  return `
  with q as materialized (
    select q.id, (select j.scheduled_at from jobs j where j.queue_id = q.id and j.status = 'pending'
      order by j.scheduled_at, j.id limit 1) as next_due_at
    from ${dialect.rows(IDS, 1)} cross join queues q where q.team_id = ${team} and q.id = given.id
  )
  select q.id as "queueId", q.next_due_at as "nextDueAt",
    (select count(*) from (select 1 from jobs j where j.queue_id = q.id and j.status = 'pending'
      and j.scheduled_at >= q.next_due_at order by j.scheduled_at limit ${most}) as waiting) as waiting,
    ${failed} as failed
  from q`;
});

export async function readQueueLoads(
  db: Database,
  { teamId, queueIds, failedSince }: { failedSince: number } & QueuesAsked,
): Promise<Map<string, QueueLoad>> {
  const rows = await db.read(readLoads, [packIds(queueIds), teamId, failedSince]);
  return new Map(rows.map((row) => [row.queueId, row]));
}

/** $1 queues, $2 team */
const countOfQueues = pageStatement<{ queue_id: string; running: number }>(
  'count-running-jobs',
  (dialect) => `
  select q.id as queue_id,
    (select count(*) from jobs j where j.queue_id = q.id and j.status = 'processing') as running
  from ${dialect.rows(IDS, 1)} cross join queues q where q.team_id = ${dialect.$(2)} and q.id = given.id`,
);

/** While an old snapshot exists, this passes the dead index entries of all jobs claimed since. */
export async function countRunningJobs(
  db: Database,
  { teamId, queueIds }: QueuesAsked,
): Promise<Map<string, number>> {
  const rows = await db.read(countOfQueues, [packIds(queueIds), teamId]);
  return new Map(rows.map(({ queue_id, running }) => [queue_id, running]));
}

interface RateLoad {
  due: BoundedCount;
  /** domain/team/rate.ts */
  spentUntil: number | null;
}

export async function readRateLoad(
  { db, clock }: { db: Database; clock: Clock },
  teamId: string,
  queueId: string,
): Promise<RateLoad> {
  const [row] = await db.ask(sql<{ due: number; spent_until: number | null }>`
    select (select count(*) from (select 1 from jobs j where j.queue_id = q.id
        and j.status = 'pending' and j.scheduled_at <= ${clock.now()} limit ${COUNT_LIMIT}) as due) as due,
      (select s.rate_spent_until from taken_slots s where s.team_id = q.team_id and s.queue_id = q.id
        order by s.number desc limit 1) as spent_until
    from queues q where q.team_id = ${teamId} and q.id = ${queueId}`);
  return { due: bound(row?.due ?? 0), spentUntil: row?.spent_until ?? null };
}
