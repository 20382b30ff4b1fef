import { randomUUID } from 'node:crypto';
import type { Log } from '#domain/base/log';
import { countWithin } from '#domain/team/rate';
import { Repeating } from '#domain/base/repeating';
import type { ClaimedTask } from '#store/jobs/bulk-tasks';
import type { FoundJob } from '#store/lists/lists';
import type { Store } from '#store/store';
import { act, MOST_SPREAD_MS, movedBy } from './bulk-actions.ts';

interface BulkRunnerOptions {
  store: Store;
  log: Log;
  batch?: number;
  /** At least as long as the batch took. */
  pauseMs?: number;
}

const CLAIM_MS = 30_000;
const LOOK_EVERY_MS = 500;
const FAILED = 'bulk.failed';
const KEEP_TASKS_MS = 7 * 86_400_000;
const TIDY_EVERY_MS = 3_600_000;

interface Current {
  task: ClaimedTask;
  cursor: string | null;
  done: number;
}

export type BulkRunner = ReturnType<typeof createBulkRunner>;

/**
 * Each node handles one task at a time, in small batches with pauses, so that claims and settlements continue. After a
 * crash nothing is done twice: fired and deleted jobs are no longer found, and jobs retried since the task was made are
 * skipped. A batch of a spread retry may come due together with the previous one.
 */
export function createBulkRunner({ store, log, batch = 100, pauseMs = 40 }: BulkRunnerOptions) {
  const { bulkTasks, clock } = store;
  const workerId = randomUUID();
  let current: Current | null = null;
  let tidiedAt = 0;

  const claim = async () => {
    const task = current ? null : await bulkTasks.claim(workerId, clock.now(), CLAIM_MS);
    if (task) current = { task, cursor: task.cursor, done: task.done };
    return current;
  };
  const tidy = async () => {
    const now = clock.now();
    if (now - tidiedAt < TIDY_EVERY_MS) return;
    tidiedAt = now;
    await bulkTasks.forgetBefore(now - KEEP_TASKS_MS);
  };
  /** @returns the pause after it */
  const handle = async (batchOf: Current): Promise<number> => {
    const startedAt = clock.monotonicMs();
    current = null;
    try {
      current = await handleBatch(store, workerId, batchOf, batch);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'STORE_BUSY') throw error;
      // Tries again and keeps its claim.
      current = batchOf;
      return LOOK_EVERY_MS;
    }
    return current ? Math.max(pauseMs, clock.monotonicMs() - startedAt) : 0;
  };
  const repeating = new Repeating(
    clock,
    log,
    FAILED,
    async () => {
      const claimed = await claim();
      if (claimed) return handle(claimed);
      await tidy();
      return LOOK_EVERY_MS;
    },
    LOOK_EVERY_MS,
  );
  return {
    start: () => repeating.start(),
    /** An unfinished task continues after the next start, on this node or another. */
    stop: async () => {
      await repeating.stop();
      if (current === null) return;
      const { task, cursor } = current;
      const step = { done: 0, skipped: 0, cursor, claimedUntil: 0 };
      try {
        await bulkTasks.advance(task, workerId, step);
      } catch (error) {
        // The claim expires.
        log.warn(FAILED, { error: (error as Error).message });
      }
    },
    /** For tests. */
    runOpen: async () => {
      for (let next = await claim(); next; next = await claim()) await handle(next);
    },
  };
}

/** @returns where to continue; null if the task has ended or another worker has it */
async function handleBatch(
  store: Store,
  workerId: string,
  { task, cursor, done: made }: Current,
  limit: number,
): Promise<Current | null> {
  const { lists, bulkTasks, clock } = store;
  const page = await lists.listJobs(task.teamId, task.search, {
    limit,
    cursor: cursor ?? undefined,
    upToId: task.upToId,
  });
  const ids = page.rows.filter((job) => isOpen(job, task)).map(({ id }) => id);
  const again = task.search.resent !== undefined && { before: task.upToId };
  const { kind, rate, actor, createdAt: from } = task;
  const spread = rate ? { rate, from, made } : undefined;
  // More jobs may have failed than were counted; those that would wait too long stay.
  const most = rate ? Math.max(0, countWithin(rate, MOST_SPREAD_MS) - made) : ids.length;
  const moved = movedBy(task.search);
  const some = { kind, ids: ids.slice(0, most), again, actor, spread, moved };
  const done = await act(store, task.teamId, some);
  const now = clock.now();
  const isOurs = await bulkTasks.advance(task, workerId, {
    done,
    skipped: ids.length - done,
    cursor: page.next,
    claimedUntil: now + CLAIM_MS,
    ...(page.next === null && { ended: { state: 'done' as const, at: now } }),
  });
  return isOurs && page.next !== null ? { task, cursor: page.next, done: made + done } : null;
}

/** One resent since the task was made is done: its new job's id has the time. */
function isOpen({ retriedAs }: FoundJob, { kind, upToId }: ClaimedTask): boolean {
  return kind !== 'retry' || retriedAs === null || retriedAs < upToId;
}
