import { hasEnded } from '#domain/cron-end';
import type { StatusName } from '../parts/Status.tsx';
import type { CronListRow } from '../services.ts';

export function cronStatus(cron: Pick<CronListRow['cron'], 'isActive' | 'nextRunAt'>): StatusName {
  if (hasEnded(cron)) return 'ended';
  return cron.isActive ? 'active' : 'paused';
}
