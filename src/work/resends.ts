import { earliestIdAt } from '#domain/base/ids';
import { startAt } from '#domain/team/rate';
import type { BulkTask } from '#store/jobs/bulk-tasks';
import type { ResentCount } from '#store/jobs/resent';
import type { Store } from '#store/store';

/** Outcomes of retries (§3.3). */

const SHOWN_FOR_MS = 10 * 60_000;
/** Larger retries are shown without their outcome. */
const MOST_COUNTED = 1_000;

/** Of the last days, newest first. */
export async function listBulkTasks(store: Store, teamId: string) {
  const tasks = await store.bulkTasks.list(teamId);
  return Promise.all(tasks.map((task) => showTask(store, teamId, task)));
}

export interface ShownTask extends BulkTask {
  /** Null for other actions, and if they can't be separated from others' jobs. */
  resent: ResentCount | null;
  /** Of a spread retry; of more than were counted, the last that was. */
  endsAt: number | null;
}

async function showTask(
  { jobs, clock }: Store,
  teamId: string,
  task: BulkTask,
): Promise<ShownTask> {
  const now = clock.now();
  const plain = { ...task, resent: null, endsAt: endOf(task) };
  const isRecent = task.finishedAt !== null && now - task.finishedAt < SHOWN_FOR_MS;
  if (task.kind !== 'retry' || !isRecent || task.done === 0 || task.done > MOST_COUNTED)
    return plain;
  const failedIds = await jobs.listResends(teamId, spanOf(task, now), MOST_COUNTED + 1);
  // Others have resent jobs at the same time, or some are gone.
  if (failedIds.length !== task.done) return plain;
  return { ...plain, resent: await jobs.countResent(teamId, failedIds) };
}

function endOf({ rate, createdAt, finishedAt, done, total }: BulkTask): number | null {
  return (
    rate && startAt(rate, createdAt, Math.max(1, finishedAt === null ? total.count : done) - 1)
  );
}

/** Ids sort by creation time. */
function spanOf({ createdAt, finishedAt }: BulkTask, now: number) {
  return { fromId: earliestIdAt(createdAt), toId: earliestIdAt((finishedAt ?? now) + 1) };
}
