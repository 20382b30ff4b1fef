import type { BulkTask } from '../services.ts';

const recentMs = 10 * 60_000;

/** True while a task is worth showing: under way, or ended so lately that its result may not have been seen. */
export function isRecent({ finishedAt }: Pick<BulkTask, 'finishedAt'>, now: number): boolean {
  return finishedAt === null || finishedAt > now - recentMs;
}
