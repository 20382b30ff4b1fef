/** The outcomes of resent jobs (§3.3), and taking them back while they are not sent. */
import { isFailedJob } from '#domain/run-status';
import { startAt } from '#domain/rate';
import { earliestIdAt, isId } from '#domain/ids';
import type { BulkTask } from '#store/jobs/bulk-tasks';
import type { JobRecord } from '#store/jobs/job-records';
import type { Store } from '#store/store';
import type { JobPages, JobListRow, ShownTask } from './job-contract.ts';
import { MOST_AT_ONCE } from './bulk-actions.ts';

const TAKEN_BACK_WITHIN_MS = 10_000;
/** How long after a retry its outcome is shown. */
const TOLD_FOR_MS = 10 * 60_000;
/** Larger retries are shown without their outcome. */
const MOST_COUNTED = 1_000;

type ResendVerbs = Pick<JobPages, 'listBulkTasks' | 'listResent' | 'takeBackResent'>;

export function createResends(store: Store): ResendVerbs {
  const { bulkTasks, jobs, clock } = store;
  const findRetry = async (teamId: string, taskId: string) => {
    const task = isId(taskId) ? await bulkTasks.find(teamId, taskId) : null;
    return task?.kind === 'retry' ? task : null;
  };
  return {
    listBulkTasks: async (teamId) => {
      const tasks = await bulkTasks.list(teamId);
      return Promise.all(tasks.map((task) => tellTask(store, teamId, task)));
    },
    listResent: async (teamId, taskId) => {
      const task = await findRetry(teamId, taskId);
      if (task === null) return null;
      const made = await jobs.listResends(teamId, spanOf(task, clock.now()), MOST_COUNTED);
      const ids = made.map(({ id }) => id);
      const last = await jobs.listLastAttempts(teamId, ids);
      const rows = last.map(asRow).toSorted((a, b) => rankOf(a) - rankOf(b));
      return { task: await tellTask(store, teamId, task), jobs: rows.slice(0, MOST_AT_ONCE) };
    },
    takeBackResent: async (teamId, taskId) => {
      const task = await findRetry(teamId, taskId);
      if (task === null || !mayTakeBack(task, clock.now())) return null;
      return jobs.takeBackResends(teamId, taskId, spanOf(task, clock.now()));
    },
  };
}

async function tellTask(
  { jobs, clock }: Store,
  teamId: string,
  task: BulkTask,
): Promise<ShownTask> {
  const now = clock.now();
  const untold = { ...task, resent: null, unsent: 0, endsAt: endOf(task) };
  const isTold = task.finishedAt !== null && now - task.finishedAt < TOLD_FOR_MS;
  if (task.kind !== 'retry' || !isTold || task.done === 0 || task.done > MOST_COUNTED)
    return untold;
  const made = await jobs.listResends(teamId, spanOf(task, now), MOST_COUNTED + 1);
  // Others have resent jobs at the same time, or some are gone: these are not exactly the task's jobs.
  if (made.length !== task.done) return untold;
  const failedIds = made.map(({ failedId }) => failedId);
  const resent = await jobs.countResent(teamId, failedIds);
  const unsent = mayTakeBack(task, now) ? made.filter(({ isUnsent }) => isUnsent).length : 0;
  return { ...untold, resent, unsent };
}

function endOf({ rate, createdAt, finishedAt, done, total }: BulkTask): number | null {
  return (
    rate && startAt(rate, createdAt, Math.max(1, finishedAt === null ? total.count : done) - 1)
  );
}

/** The range of ids that were made while the task ran. Ids sort by creation time. */
function spanOf({ createdAt, finishedAt }: BulkTask, now: number) {
  return { fromId: earliestIdAt(createdAt), toId: earliestIdAt((finishedAt ?? now) + 1) };
}

/**
 * Whether a retry may be taken back. Not for jobs that had been resent before: the mark of that earlier resend is
 * overwritten, so it can't be restored. Nor for more jobs than are done at once; such a task is cancelled instead.
 */
function mayTakeBack({ search, finishedAt, done }: BulkTask, now: number): boolean {
  if (finishedAt === null || search.resent === true || done > MOST_AT_ONCE) return false;
  return now - finishedAt < TAKEN_BACK_WITHIN_MS;
}

function asRow(job: JobRecord): JobListRow {
  return Object.assign(job, { at: job.completedAt ?? job.startedAt ?? job.scheduledAt });
}

/** Sorts failed jobs first and successful ones last. */
function rankOf({ status }: JobListRow): number {
  if (isFailedJob(status)) return 0;
  return status === 'success' ? 2 : 1;
}
