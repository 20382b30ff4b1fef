import type { Database } from './database.ts';
import { scanWaitingQueues } from './waiting.ts';

/** What is not finished, over all teams. */
export interface Backlog {
  /** Due and waiting for a seat, or held by a paused queue. */
  due: number;
  scheduled: number;
  processing: number;
  /** How long the oldest due job has waited, in milliseconds; 0 where none does. */
  oldestDueMs: number;
}

/** Counts the backlog from the indexes of waiting and running jobs. Costs as much as there is; ask seldom. */
export async function readBacklog(db: Database, now: number): Promise<Backlog> {
  const count = (status: 'pending' | 'processing') =>
    db.read(async (reader) => {
      const row = await reader
        .selectFrom('jobs')
        .select((eb) => [
          eb.fn.countAll<number>().as('all'),
          eb.fn
            .sum<number | null>(eb.case().when('scheduled_at', '<=', now).then(1).else(0).end())
            .as('due'),
        ])
        .where('status', '=', status)
        .executeTakeFirstOrThrow();
      return { all: row.all, due: row.due ?? 0 };
    });
  const pending = await count('pending');
  const processing = await count('processing');
  const heads = await scanWaitingQueues(db);
  const oldest = Math.min(now, ...heads.map(({ nextDueAt }) => nextDueAt));
  return {
    due: pending.due,
    scheduled: pending.all - pending.due,
    processing: processing.all,
    oldestDueMs: now - oldest,
  };
}
