import { holdDone, uncountDone } from './bulk-tasks.ts';
import type { Database, Reader, Trx } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { runPrepared } from '../database/prepared.ts';
import { holdPending } from './job-actions.ts';
import { pageStatement } from '../lists/statement.ts';
import { isFailedJob, type JobStatus } from '#domain/run-status';

/** How many of some failed jobs were resent, and the present states of the new jobs (§3.3). */
export interface ResentCount {
  count: number;
  succeeded: number;
  failed: number;
  /** The new job waits, is being sent, or waits for a retry. */
  underWay: number;
  /** The new job was deleted since, by a person or by retention. */
  gone: number;
}

const JOB = { job_id: 'id' } as const satisfies Fields;

/**
 * Finds the status of the last attempt of each resent job. Jobs that were not resent are marked by a value of the
 * result; a condition would make Postgres read the whole index of resent jobs.
 *
 * Parameters: 1 jobs, 2 team
 */
const findOutcomes = pageStatement<{ status: JobStatus | 'unresent' | null; number: number }>(
  'outcomes-of-resent',
  (dialect) => {
    const team = dialect.$(2);
    // A waiting or running attempt is always the last one. The ids of retries are searched without the team: with it
    // SQLite, which has no statistics, would read all of the team's jobs.
    const lastOf = (table: string) => `(select a.status from ${table} a
      where a.team_id = ${team} and a.id in (
        select r.id from ${table} r where r.original_id = f.retried_as and r.attempt_number > 1)
      order by a.attempt_number desc limit 1)`;
    const firstOf = (table: string) =>
      `(select a.status from ${table} a where a.team_id = ${team} and a.id = f.retried_as)`;
    const status = ['jobs', 'ended_jobs'].map(lastOf).concat(['jobs', 'ended_jobs'].map(firstOf));
    return `select status, count(*) as number from (
      select case when f.retried_as is null then 'unresent' else coalesce(${status.join(', ')}) end as status
      from ${dialect.rows(JOB, 1)}
      cross join ended_jobs f where f.team_id = ${team} and f.id = given.job_id) as resent
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
  const rows = await db.read((reader) =>
    runPrepared(reader, db.dialect, findOutcomes, [jobs, teamId]),
  );
  const counts: ResentCount = { count: 0, succeeded: 0, failed: 0, underWay: 0, gone: 0 };
  for (const { status, number } of rows) {
    if (status === 'unresent') continue;
    counts.count += number;
    counts[standingOf(status)] += number;
  }
  return counts;
}

/** The jobs that one action made, as a range of ids, which sort by creation time. */
export interface ResendSpan {
  /** From this id (inclusive) to `toId` (exclusive). */
  fromId: string;
  toId: string;
}

export interface Resend {
  failedId: string;
  /** The new job's id. */
  id: string;
  /** The new job waits for its first attempt. */
  isUnsent: boolean;
}

/** The jobs that were resent within a span, in the order of their creation. */
export async function listResends(
  db: Database,
  teamId: string,
  { fromId, toId }: ResendSpan,
  limit: number,
): Promise<Resend[]> {
  const rows = await db.read((reader) => resendsWithin(reader, teamId, fromId, toId, limit));
  return rows.map(({ failed_id, id, status }) => {
    return { failedId: failed_id, id: id ?? '', isUnsent: status === 'pending' };
  });
}

function resendsWithin(
  reader: Reader | Trx,
  teamId: string,
  fromId: string,
  toId: string,
  limit: number,
) {
  return reader
    .selectFrom('ended_jobs as failed')
    .leftJoin('jobs as made', (join) =>
      join.onRef('made.team_id', '=', 'failed.team_id').onRef('made.id', '=', 'failed.retried_as'),
    )
    .select(['failed.id as failed_id', 'failed.retried_as as id', 'made.status'])
    .where('failed.team_id', '=', teamId)
    .where('failed.retried_as', 'is not', null)
    .where('failed.retried_as', '>=', fromId)
    .where('failed.retried_as', '<', toId)
    .orderBy('failed.retried_as')
    .limit(limit)
    .execute();
}

/**
 * Takes back the jobs that a task has resent and that are not sent yet: the new jobs are deleted, and the failed ones
 * look as if they had never been resent.
 *
 * @returns how many; null where the span does not contain exactly the task's jobs, as when others resent at the same
 * time
 */
export async function takeBackResends(
  db: Database,
  teamId: string,
  taskId: string,
  { fromId, toId }: ResendSpan,
): Promise<number | null> {
  return db.transact(async (trx) => {
    const done = await holdDone(trx, db.dialect, teamId, taskId);
    if (done === null) return null;
    const found = await resendsWithin(trx, teamId, fromId, toId, done + 1);
    if (found.length !== done) return null;
    const jobIds = found.flatMap(({ id, status }) => (id && status === 'pending' ? [id] : []));
    if (jobIds.length === 0) return 0;
    // A job that has started meanwhile is no longer pending, and stays.
    const held = await holdPending(trx, db.dialect, { teamId, jobIds });
    const ids = held.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await trx.deleteFrom('jobs').where('team_id', '=', teamId).where('id', 'in', ids).execute();
    await trx
      .updateTable('ended_jobs')
      .set({ retried_as: null })
      .where('team_id', '=', teamId)
      .where('retried_as', 'in', ids)
      .where('retried_as', 'is not', null)
      .execute();
    await uncountDone(trx, teamId, taskId, ids.length);
    return ids.length;
  });
}

function standingOf(status: JobStatus | null): Exclude<keyof ResentCount, 'count'> {
  if (status === null) return 'gone';
  if (status === 'success') return 'succeeded';
  return isFailedJob(status) ? 'failed' : 'underWay';
}
