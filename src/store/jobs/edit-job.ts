import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Sealer } from '../database/seal.ts';
import { sealHeaders } from '../runs/headers.ts';
import type { NewJob } from './accept-jobs.ts';
import { holdPending, type Touched } from './job-actions.ts';

/** What a person may change of a job that waits. */
export interface JobChange extends Omit<NewJob, 'teamId' | 'delaySeconds'> {
  scheduledAt: number;
}

export type Edited = Touched | 'not-pending' | 'no-queue';

/**
 * Changes a waiting job; one that has started is left alone. The queue must exist. On Postgres the queue is locked
 * before the job, in the same order as by the deletion of a queue.
 */
export async function editPendingJob(
  { db, sealer }: { db: Database; sealer: Sealer },
  { teamId, jobId }: { teamId: string; jobId: string },
  { queue, payload, callbackUrl, ...change }: JobChange,
): Promise<Edited> {
  return db.transact(async (trx): Promise<Edited> => {
    const into = await trx
      .selectFrom('queues')
      .select('id')
      .where('team_id', '=', teamId)
      .where('name', '=', queue)
      .modifyEnd(sql.raw(db.dialect.lock('for key share')))
      .executeTakeFirst();
    if (!into) return 'no-queue';
    const held = await holdPending(trx, db.dialect, { teamId, jobIds: [jobId] });
    if (held.length === 0) return 'not-pending';
    await trx
      .updateTable('jobs')
      .set({
        queue_id: into.id,
        method: change.method,
        url: change.url,
        sealed_headers: sealHeaders(sealer, 'jobs', teamId, change.headers),
        payload,
        callback_url: callbackUrl,
        scheduled_at: change.scheduledAt,
      })
      .where('team_id', '=', teamId)
      .where('id', '=', jobId)
      .where('status', '=', 'pending')
      .execute();
    return { id: jobId, queueId: into.id, dueAt: change.scheduledAt };
  });
}
