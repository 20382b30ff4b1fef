import type { Database } from '../database/database.ts';
import type { Sealer } from '../database/seal.ts';
import { sealHeaders } from '../runs/headers.ts';
import type { NewJob } from './accept-jobs.ts';
import { lockPending, type Touched } from './job-actions.ts';
import { change, one } from '../database/rows.ts';

/** The fields of a waiting job that a person may change. */
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
  { queue, payload, callbackUrl, ...request }: JobChange,
): Promise<Edited> {
  return db.transact(async (trx): Promise<Edited> => {
    const into = await one(
      trx,
      'queues',
      { team_id: teamId, name: queue },
      ['id'],
      'for key share',
    );
    if (!into) return 'no-queue';
    const locked = await lockPending(trx, { teamId, jobIds: [jobId] });
    if (locked.length === 0) return 'not-pending';
    await change(
      trx,
      'jobs',
      { team_id: teamId, id: jobId, status: 'pending' },
      {
        queue_id: into.id,
        method: request.method,
        url: request.url,
        sealed_headers: sealHeaders(sealer, 'jobs', teamId, request.headers),
        payload,
        callback_url: callbackUrl,
        scheduled_at: request.scheduledAt,
      },
    );
    return { id: jobId, queueId: into.id, dueAt: request.scheduledAt };
  });
}
