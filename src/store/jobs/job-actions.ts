import { FAILED_JOB_STATUSES } from '#domain/runs/run-status';
import { newId } from '#domain/base/ids';
import { type Rate, startAt } from '#domain/team/rate';
import { sql } from '../database/sql.ts';
import { recordRetry } from './bulk-tasks.ts';
import { copyJobs } from './copy-jobs.ts';
import type { Context } from '../database/context.ts';
import type { Trx } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { preparedStatement, updateEach } from '../database/prepared.ts';
import type { JobSearch } from '../lists/search.ts';
import { all, change, one, remove } from '../database/rows.ts';
import { sealHeaders } from '../runs/headers.ts';
import { KEY } from '../runs/run-tables.ts';
import type { NewJob } from './accept-jobs.ts';

interface Touched {
  id: string;
  queueId: string;
  dueAt: number;
}

/**
 * Jobs that were resent before: all, none, or those whose last resend has a lower id, which skips jobs that others have
 * resent since the list was made.
 */
export type ResendAgain = boolean | { before: string };

/** Due one after the other. `made`: how many earlier parts have made. */
export interface Spread {
  rate: Rate;
  /** Null: now. */
  from: number | null;
  made: number;
}

interface JobsToLock {
  teamId: string;
  jobIds: readonly string[];
}

/** In the order of ids, to prevent deadlocks. */
export async function lockPending(trx: Trx, { teamId, jobIds }: JobsToLock) {
  const pending = { team_id: teamId, id: jobIds, status: 'pending' } as const;
  const columns = ['id', 'queue_id', 'scheduled_at'] as const;
  return all(trx, 'jobs', pending, { columns, order: ['id'], lock: 'for update' });
}

async function lockFailed(
  trx: Trx,
  { teamId, jobIds, again = true }: JobsToLock & { again?: ResendAgain },
) {
  const failed = { team_id: teamId, id: jobIds, status: FAILED_JOB_STATUSES };
  const key = again === false ? { ...failed, retried_as: null } : failed;
  const isAgain =
    typeof again === 'object' ? sql`(retried_as is null or retried_as < ${again.before})` : null;
  return all(trx, 'ended_jobs', key, {
    columns: ['id', 'queue_id'],
    where: [isAgain],
    order: ['id'],
    lock: 'for update',
  });
}

/** With each job's own due time: with the present time, a claim that has passed over the job would not find it. */
function signalDue({ signals }: Context, teamId: string, touched: readonly Touched[]): void {
  const byQueue = Map.groupBy(touched, ({ queueId }) => queueId);
  signals.send(
    [...byQueue].map(([queueId, ofQueue]) => {
      const dueAt = Math.min(...ofQueue.map((job) => job.dueAt));
      return { kind: 'jobs', queueId, teamId, dueAt };
    }),
  );
}

interface JobChange extends Omit<NewJob, 'teamId' | 'delaySeconds' | 'actor'> {
  scheduledAt: number;
}

type Edited = Touched | 'not-pending' | 'no-queue';

/** Each function is one transaction; signals are sent after the commit. */
export const jobActions = {
  /** One that has started stays. The queue must exist; on Postgres it is locked first, as in the queue's deletion. */
  async edit(
    context: Context,
    teamId: string,
    jobId: string,
    { queue, payload, callbackUrl, method, url, headers, scheduledAt }: JobChange,
  ): Promise<Edited> {
    const edited = await context.main.transact(async (trx): Promise<Edited> => {
      const named = { team_id: teamId, name: queue };
      const into = await one(trx, 'queues', named, ['id'], 'for key share');
      if (!into) return 'no-queue';
      const locked = await lockPending(trx, { teamId, jobIds: [jobId] });
      if (locked.length === 0) return 'not-pending';
      const pending = { team_id: teamId, id: jobId, status: 'pending' } as const;
      await change(trx, 'jobs', pending, {
        queue_id: into.id,
        method,
        url,
        sealed_headers: sealHeaders(context.sealer, 'jobs', teamId, headers),
        payload,
        callback_url: callbackUrl,
        scheduled_at: scheduledAt,
      });
      return { id: jobId, queueId: into.id, dueAt: scheduledAt };
    });
    if (typeof edited === 'object') signalDue(context, teamId, [edited]);
    return edited;
  },

  /** Fire now. An attempt that waits for its retry is pending too (§3.3). */
  async fire(context: Context, teamId: string, jobIds: readonly string[]): Promise<Touched[]> {
    const now = context.clock.now();
    const rows = await context.main.transact(async (trx) => {
      const locked = await lockPending(trx, { teamId, jobIds });
      const later = locked.filter(({ scheduled_at }) => scheduled_at > now).map(({ id }) => id);
      if (later.length > 0) {
        await change(trx, 'jobs', { team_id: teamId, id: later }, { scheduled_at: now });
      }
      return locked.map(({ id, queue_id, scheduled_at }) => {
        return { id, queueId: queue_id, dueAt: Math.min(scheduled_at, now) };
      });
    });
    signalDue(context, teamId, rows);
    return rows;
  },

  async deletePending(
    { main }: Context,
    teamId: string,
    jobIds: readonly string[],
  ): Promise<string[]> {
    return main.transact(async (trx) => {
      const ids = (await lockPending(trx, { teamId, jobIds })).map(({ id }) => id);
      await remove(trx, 'jobs', { team_id: teamId, id: ids });
      return ids;
    });
  },

  async deleteFailed(
    { main }: Context,
    teamId: string,
    jobIds: readonly string[],
  ): Promise<string[]> {
    return main.transact(async (trx) => {
      const ids = (await lockFailed(trx, { teamId, jobIds })).map(({ id }) => id);
      // The status excludes partitions.
      const failed = { team_id: teamId, id: ids, status: FAILED_JOB_STATUSES };
      await remove(trx, 'ended_jobs', failed);
      return ids;
    });
  },

  /**
   * Each failed job is copied to a new one, attempt 1, and marked with its id (§3.2, §3.3).
   * @param again which marked jobs are resent; others are skipped, so two clicks send nothing twice
   * @param actor of the new jobs; null: that of the failed ones
   * @param found the search; with it the retry is recorded as a task
   * @param spread without it, all are due now
   * @param moved replaces the beginning of their URLs
   */
  async retryFailed(
    context: Context,
    teamId: string,
    jobIds: readonly string[],
    {
      again = false,
      actor = null,
      found,
      spread,
      moved,
    }: {
      again?: ResendAgain;
      actor?: string | null;
      found?: JobSearch | undefined;
      spread?: Spread | undefined;
      moved?: { from: string; to: string } | undefined;
    } = {},
  ): Promise<(Touched & { failedId: string })[]> {
    const now = context.clock.now();
    const dueAt = (n: number) =>
      spread ? Math.max(now, startAt(spread.rate, spread.from ?? now, spread.made + n)) : now;
    const retries = await context.main.transact(async (trx) => {
      const failed = await lockFailed(trx, { teamId, jobIds, again });
      const made = failed.map(({ id, queue_id }, n) => {
        return { failedId: id, id: newId(now), queueId: queue_id, dueAt: dueAt(n) };
      });
      await copyJobs(
        trx,
        made.map(({ failedId, id, dueAt: scheduledAt }) => ({
          teamId,
          fromId: failedId,
          id,
          originalId: id,
          attemptNumber: 1,
          createdAt: now,
          scheduledAt,
          actor,
        })),
      );
      if (moved) {
        const ids = made.map(({ id }) => ({ team_id: teamId, id }));
        await trx.rows(moveJobs, [packRows(KEY, ids), moved.from, moved.to]);
      }
      const marks = made.map(({ failedId, id }) => {
        return { team_id: teamId, id: failedId, retried_as: id };
      });
      await trx.rows(markRetried, [packRows(RETRIED, marks)]);
      if (found && made.length > 0) {
        const done = made.length;
        const skipped = jobIds.length - done;
        const rate = spread?.rate ?? null;
        await recordRetry(trx, teamId, { search: found, done, skipped, rate, at: now });
      }
      return made;
    });
    signalDue(context, teamId, retries);
    return retries;
  },
};

const moveJobs = preparedStatement<never>(
  'move-jobs',
  (dialect) => `
  update jobs set url = cast(${dialect.$(3)} as text) || substr(url, length(cast(${dialect.$(2)} as text)) + 1)
  from ${dialect.rows(KEY, 1)}
  where jobs.team_id = given.team_id and jobs.id = given.id`,
);

const RETRIED = { team_id: 'id', id: 'id', retried_as: 'id' } as const satisfies Fields;

const markRetried = updateEach('mark-retried', 'ended_jobs', RETRIED);
