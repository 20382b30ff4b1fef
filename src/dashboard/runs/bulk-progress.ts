import type { BulkTask, ShownTask } from '../services.ts';

const recentMs = 10 * 60_000;

/**
 * Whether a task is shown: it is under way, ended so recently that its result may not have been seen, or is spread over
 * a time that is not over.
 */
export function isRecent(
  { finishedAt, endsAt }: Pick<ShownTask, 'finishedAt' | 'endsAt'>,
  now: number,
): boolean {
  return finishedAt === null || Math.max(finishedAt, endsAt ?? 0) > now - recentMs;
}

/**
 * The tasks whose bars lists show. Of the tasks that resent a single job, only the last one is included; the pages of
 * those jobs show the others.
 */
export function listShown<Task extends ShownTask>(tasks: readonly Task[], now: number): Task[] {
  const recent = tasks.filter((task) => isRecent(task, now));
  const lastSingle = recent.find(isSingle);
  return recent.filter((task) => !isSingle(task) || task === lastSingle);
}

function isSingle({ search }: BulkTask): boolean {
  return search.id !== undefined;
}
