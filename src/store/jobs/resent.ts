import type { Database } from '../database/database.ts';
import { all, within } from '../database/rows.ts';
import { IDS, packIds } from '../database/dialect.ts';
import { isFailedJob, type JobStatus } from '#domain/runs/run-status';
import { sql } from '../database/sql.ts';
import { pageStatement } from '../database/prepared.ts';

export interface ResentCount {
  count: number;
  succeeded: number;
  failed: number;
  underWay: number;
  /** By a person or by retention. */
  gone: number;
}

/**
 * The last attempt of each resent job. Other jobs are marked by a value: a condition would make Postgres read the whole
 * index of resent jobs.
 *
 * $1 jobs, $2 team
 */
const findOutcomes = pageStatement<{ status: JobStatus | 'unresent' | null; number: number }>(
  'outcomes-of-resent',
  (dialect) => {
    const team = dialect.$(2);
    // A waiting or running attempt is the last one. Without the team: see `findRetries`.
    const lastOf = (table: string) => `(select a.status from ${table} a
      where a.team_id = ${team} and a.id in (
        select r.id from ${table} r where r.original_id = f.retried_as and r.attempt_number > 1)
      order by a.attempt_number desc limit 1)`;
    const firstOf = (table: string) =>
      `(select a.status from ${table} a where a.team_id = ${team} and a.id = f.retried_as)`;
    const status = ['jobs', 'ended_jobs'].map(lastOf).concat(['jobs', 'ended_jobs'].map(firstOf));
    return `select status, count(*) as number from (
      select case when f.retried_as is null then 'unresent' else coalesce(${status.join(', ')}) end as status
      from ${dialect.rows(IDS, 1)}
      cross join ended_jobs f where f.team_id = ${team} and f.id = given.id) as resent
    group by status`;
  },
);

export async function countResent(
  db: Database,
  teamId: string,
  jobIds: readonly string[],
): Promise<ResentCount> {
  const rows = await db.read(findOutcomes, [packIds(jobIds), teamId]);
  const counts: ResentCount = { count: 0, succeeded: 0, failed: 0, underWay: 0, gone: 0 };
  for (const { status, number } of rows) {
    if (status === 'unresent') continue;
    counts.count += number;
    counts[standingOf(status)] += number;
  }
  return counts;
}

/** A range of ids, which sort by creation time. */
interface ResendSpan {
  /** From inclusive, to exclusive. */
  fromId: string;
  toId: string;
}

/** In the order of the new jobs. */
export async function listResends(
  db: Database,
  teamId: string,
  { fromId, toId }: ResendSpan,
  limit: number,
): Promise<string[]> {
  const resent = { team_id: teamId, retried_as: within<string | null>(fromId, toId) };
  const rows = await all(db, 'ended_jobs', resent, {
    columns: ['id'],
    // For the partial index.
    where: [sql`retried_as is not null`],
    order: ['retried_as'],
    limit,
  });
  return rows.map(({ id }) => id);
}

function standingOf(status: JobStatus | null): Exclude<keyof ResentCount, 'count'> {
  if (status === null) return 'gone';
  if (status === 'success') return 'succeeded';
  return isFailedJob(status) ? 'failed' : 'underWay';
}
