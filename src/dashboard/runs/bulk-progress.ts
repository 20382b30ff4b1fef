import type { BulkTask } from '../services.ts';

const recentMs = 10 * 60_000;

/** Whether a task is shown: it is under way, or ended so recently that its result may not have been seen. */
export function isRecent({ finishedAt }: Pick<BulkTask, 'finishedAt'>, now: number): boolean {
  return finishedAt === null || finishedAt > now - recentMs;
}

/**
 * The tasks whose bars lists show. Of the tasks that resent a single job, only the last one is included; the pages of
 * those jobs show the others.
 */
export function listShown<Task extends BulkTask>(tasks: readonly Task[], now: number): Task[] {
  const recent = tasks.filter((task) => isRecent(task, now));
  const lastSingle = recent.find(isSingle);
  return recent.filter((task) => !isSingle(task) || task === lastSingle);
}

function isSingle({ search }: BulkTask): boolean {
  return search.id !== undefined;
}
