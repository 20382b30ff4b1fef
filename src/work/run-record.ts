import type { FoundRun } from '#store/lists/search';
import { recordOf } from './record.ts';

/** In the order of a file's columns. */
export const RUN_COLUMNS = [
  'id',
  'kind',
  'completed_at',
  'source_id',
  'source',
  'method',
  'url',
  'status',
  'attempt_number',
  'scheduled_at',
  'started_at',
  'duration_ms',
  'response_status',
  'reason',
  'fault',
  'error_message',
  'retried_as',
  'actor',
] as const;

export function writeRun(run: FoundRun) {
  const kind = run.kind === 'job' ? 'job' : 'cron';
  const all = { ...run, kind, completedAt: run.at, source: run.sourceName };
  return { ...recordOf(all, RUN_COLUMNS), id: run.id };
}
