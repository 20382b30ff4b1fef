import { FAILED_JOB_STATUSES } from '#domain/run-status';
import { newId } from '#domain/ids';
import { type Rate, startAt } from '#domain/rate';
import { type ExpressionBuilder, sql } from 'kysely';
import { recordRetry } from './bulk-tasks.ts';
import { copyJobs } from './copy-jobs.ts';
import type { Database, Trx } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { JobSearch } from '../lists/search.ts';
import type { Tables } from '../tables/tables.ts';
import { all } from '../database/rows.ts';

/** A job that was made due, for the signal to the engine. */
export interface Touched {
  id: string;
  queueId: string;
  /** When the job is due, in milliseconds since 1970. */
  dueAt: number;
}

/**
 * Whether failed jobs that were resent before are resent again: all, none, or those whose last resend has an id before
 * this one. With the last form a task skips jobs that others have resent since its list was made.
 */
export type ResendAgain = boolean | { before: string };

/** Resent jobs that come due one after the other. Of a large retry that is made in parts, `made` were made before. */
export interface Spread {
  rate: Rate;
  /** When the first of all is due; null: now. */
  from: number | null;
  made: number;
}

interface JobsToLock {
  teamId: string;
  jobIds: readonly string[];
}

/**
 * Finds waiting jobs, and on Postgres locks them until the transaction ends, in the order of their ids, so that two
 * actions on the same jobs cannot deadlock.
 */
export async function lockPending(
  trx: Trx,
  { teamId, jobIds }: JobsToLock,
): Promise<{ id: string }[]> {
  return all(
    trx,
    'jobs',
    { team_id: teamId, id: jobIds, status: 'pending' },
    { columns: ['id'], order: ['id'], lock: 'for update' },
  );
}

/** Finds failed jobs, and on Postgres locks them likewise. */
async function lockFailed(
  trx: Trx,
  { teamId, jobIds, again = true }: JobsToLock & { again?: ResendAgain },
) {
  const before = typeof again === 'object' ? again.before : undefined;
  return trx
    .selectFrom('ended_jobs')
    .select(['id', 'queue_id'])
    .where('team_id', '=', teamId)
    .where('id', 'in', jobIds)
    .where('status', 'in', FAILED_JOB_STATUSES)
    .$if(again === false, (query) => query.where('retried_as', 'is', null))
    .$if(before !== undefined, (query) => query.where(isResentBefore(before as string)))
    .orderBy('id')
    .modifyEnd(sql.raw(trx.dialect.lock('for update')))
    .execute();
}

function isResentBefore(id: string) {
  return ({ eb }: ExpressionBuilder<Tables, 'ended_jobs'>) =>
    eb.or([eb('retried_as', 'is', null), eb('retried_as', '<', id)]);
}

/**
 * Makes waiting jobs due now (Fire now). Only pending ones change; an attempt that waits for its retry is pending too
 * (§3.3).
 */
export async function fireJobs(
  db: Database,
  teamId: string,
  jobIds: readonly string[],
  now: number,
): Promise<Touched[]> {
  const rows = await db.transact(async (trx) => {
    await lockPending(trx, { teamId, jobIds });
    return trx
      .updateTable('jobs')
      .set({
        scheduled_at: sql<number>`case when scheduled_at < ${now} then scheduled_at else ${now} end`,
      })
      .where('team_id', '=', teamId)
      .where('id', 'in', jobIds)
      .where('status', '=', 'pending')
      .returning(['id', 'queue_id', 'scheduled_at'])
      .execute();
  });
  return rows.map(({ id, queue_id, scheduled_at }) => {
    return { id, queueId: queue_id, dueAt: scheduled_at };
  });
}

/** Deletes waiting jobs; they are never sent. One that has started is left alone. */
export async function deletePendingJobs(
  db: Database,
  teamId: string,
  jobIds: readonly string[],
): Promise<string[]> {
  const rows = await db.transact(async (trx) => {
    await lockPending(trx, { teamId, jobIds });
    return trx
      .deleteFrom('jobs')
      .where('team_id', '=', teamId)
      .where('id', 'in', jobIds)
      .where('status', '=', 'pending')
      .returning('id')
      .execute();
  });
  return rows.map(({ id }) => id);
}

/** Deletes failed jobs. */
export async function deleteFailedJobs(
  db: Database,
  teamId: string,
  jobIds: readonly string[],
): Promise<string[]> {
  return db.transact(async (trx) => {
    await lockFailed(trx, { teamId, jobIds });
    const rows = await trx
      .deleteFrom('ended_jobs')
      .where('team_id', '=', teamId)
      .where('id', 'in', jobIds)
      .where('status', 'in', FAILED_JOB_STATUSES)
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  });
}

/**
 * Retries failed jobs: each is copied to a new job, attempt 1, due now or at the rate's time, with the same request and
 * callback URL. The failed job is unchanged, except for the mark with the new job's id (§3.2, §3.3).
 *
 * @param again which of the marked jobs are resent again; the others are skipped, so that two clicks at once send
 * nothing twice
 * @param found the search that found the jobs; with it the retry is recorded as a task
 * @param spread when each is due; without it, now
 */
export async function retryFailedJobs(
  db: Database,
  teamId: string,
  jobIds: readonly string[],
  {
    now,
    again,
    found,
    spread,
  }: {
    now: number;
    again: ResendAgain;
    found?: JobSearch | undefined;
    spread?: Spread | undefined;
  },
): Promise<(Touched & { failedId: string })[]> {
  return db.transact(async (trx) => {
    const failed = await lockFailed(trx, { teamId, jobIds, again });
    const dueAt = (n: number) =>
      spread ? Math.max(now, startAt(spread.rate, spread.from ?? now, spread.made + n)) : now;
    const retries = failed.map(({ id, queue_id }, n) => ({
      failedId: id,
      id: newId(now),
      queueId: queue_id,
      dueAt: dueAt(n),
    }));
    await copyJobs(
      trx,
      retries.map(({ failedId, id, dueAt: scheduledAt }) => ({
        teamId,
        fromId: failedId,
        id,
        originalId: id,
        attemptNumber: 1,
        createdAt: now,
        scheduledAt,
      })),
    );
    await markRetried(trx, teamId, retries);
    if (found && retries.length > 0) {
      const done = retries.length;
      const skipped = jobIds.length - done;
      const rate = spread?.rate ?? null;
      await recordRetry(trx, teamId, { search: found, done, skipped, rate, at: now });
    }
    return retries;
  });
}

const RETRIED = { team_id: 'id', id: 'id', retried_as: 'id' } as const satisfies Fields;

const markRetriedJobs = preparedStatement<never>(
  'mark-retried',
  (dialect) => `
  update ended_jobs set retried_as = given.retried_as from ${dialect.rows(RETRIED, 1)}
  where ended_jobs.team_id = given.team_id and ended_jobs.id = given.id`,
);

async function markRetried(
  trx: Trx,
  teamId: string,
  retries: readonly { failedId: string; id: string }[],
): Promise<void> {
  const rows = retries.map(({ failedId, id }) => ({
    team_id: teamId,
    id: failedId,
    retried_as: id,
  }));
  await trx.rows(markRetriedJobs, [packRows(RETRIED, rows)]);
}
