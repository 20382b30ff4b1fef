import type { BulkTask } from '../services.ts';

const recentMs = 10 * 60_000;

/** True while a task is worth showing: under way, or ended so lately that its result may not have been seen. */
export function isRecent({ finishedAt }: Pick<BulkTask, 'finishedAt'>, now: number): boolean {
  return finishedAt === null || finishedAt > now - recentMs;
}

/**
 * The tasks whose bars lists show: of single jobs that were resent, the last one alone. The others are told on the
 * pages of those jobs.
 */
export function listShown<Task extends BulkTask>(tasks: readonly Task[], now: number): Task[] {
  const recent = tasks.filter((task) => isRecent(task, now));
  const lastSingle = recent.find(isSingle);
  return recent.filter((task) => !isSingle(task) || task === lastSingle);
}

function isSingle({ search }: BulkTask): boolean {
  return search.id !== undefined;
}
