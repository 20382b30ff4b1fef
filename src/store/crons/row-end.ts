import type { CronEnd } from '#domain/cron/cron-end';
import type { Row } from '../tables/tables.ts';

export function endOf({ ends_at, max_runs }: Pick<Row<'crons'>, 'ends_at' | 'max_runs'>): CronEnd {
  return { endsAt: ends_at, maxRuns: max_runs };
}
