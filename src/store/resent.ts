import type { Database } from './database.ts';
import { type Fields, packRows } from './dialect.ts';
import { runHot } from './hot.ts';
import { pageStatement } from './lists/statement.ts';
import type { JobStatus } from './schema.ts';

/** How many of some failed jobs were resent, and how the jobs that were made of them stand now (§3.3). */
export interface ResentCount {
  count: number;
  succeeded: number;
  failed: number;
  /** Waiting, being sent, or waiting for a retry. */
  underWay: number;
  /** Deleted since, by a person or by retention. */
  gone: number;
}

const JOB = { job_id: 'id' } as const satisfies Fields;

/**
 * The last attempt of what each was resent as. That a job was not resent is told by a value, not by a condition:
 * by that, Postgres would read the index of all that were.
 *
 * 1 jobs, 2 team
 */
const findOutcomes = pageStatement<{ status: JobStatus | 'unresent' | null; number: number }>(
  'outcomes-of-resent',
  (dialect) => {
    const team = dialect.$(2);
    const last = `(select a.status from jobs a
      where a.team_id = ${team} and a.original_id = f.retried_as and a.attempt_number > 1
      order by a.attempt_number desc limit 1)`;
    const first = `(select a.status from jobs a where a.team_id = ${team} and a.id = f.retried_as)`;
    return `select status, count(*) as number from (
      select case when f.retried_as is null then 'unresent' else coalesce(${last}, ${first}) end as status
      from ${dialect.rows(JOB, 1)}
      cross join jobs f where f.team_id = ${team} and f.id = given.job_id) as resent
    group by status`;
  },
);

/** @param jobIds  some hundreds at most */
export async function countResent(
  db: Database,
  teamId: string,
  jobIds: readonly string[],
): Promise<ResentCount> {
  const jobs = packRows(
    JOB,
    jobIds.map((job_id) => ({ job_id })),
  );
  const rows = await db.read((reader) => runHot(reader, db.dialect, findOutcomes, [jobs, teamId]));
  const counts: ResentCount = { count: 0, succeeded: 0, failed: 0, underWay: 0, gone: 0 };
  for (const { status, number } of rows) {
    if (status === 'unresent') continue;
    counts.count += number;
    counts[standingOf(status)] += number;
  }
  return counts;
}

function standingOf(status: JobStatus | null): Exclude<keyof ResentCount, 'count'> {
  if (status === null) return 'gone';
  if (status === 'success') return 'succeeded';
  return status === 'dead_lettered' || status === 'failed' ? 'failed' : 'underWay';
}
