import type { CronEnd } from '#domain/cron-end';
import type { CronsTable } from '../database/schema.ts';

/** Reads the end of a cron (§3.1) from its row. */
export function endOf({ ends_at, max_runs }: Pick<CronsTable, 'ends_at' | 'max_runs'>): CronEnd {
  return { endsAt: ends_at, maxRuns: max_runs };
}
