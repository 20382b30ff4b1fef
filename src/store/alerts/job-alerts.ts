import { readAlertSettings } from '#domain/alerts/alert-settings';
import type { Trx } from '../database/database.ts';
import { noteFailing } from './reminders.ts';
import { type Outcome, rowOfRun, raiseAlerts } from './raise-alerts.ts';
import { all } from '../database/rows.ts';
import type { ClaimedJob } from '../runs/claims.ts';

/** domain/after-attempt decides which attempts raise one. */
export interface JobAlert {
  alert: 'warning' | 'failure';
  run: Pick<ClaimedJob, 'teamId' | 'queueId' | 'id' | 'attemptNumber'>;
  end: Outcome;
}

export async function raiseJobAlerts(trx: Trx, alerts: readonly JobAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  const ids = [...new Set(alerts.map(({ run }) => run.queueId))];
  const columns = ['id', 'name', 'alert_settings'] as const;
  const queues = await all(trx, 'queues', { id: ids }, { columns });
  const byId = new Map(queues.map((queue) => [queue.id, queue]));
  const raised = alerts.map(({ alert: level, run, end }) => {
    const queue = byId.get(run.queueId);
    return {
      source: { kind: 'queue' as const, id: run.queueId, name: queue?.name ?? '' },
      settings: readAlertSettings(queue?.alert_settings ?? null),
      row: { ...rowOfRun(run, end), level },
    };
  });
  await noteFailing(
    trx,
    raised.filter(({ row }) => row.level === 'failure'),
  );
  await raiseAlerts(trx, raised);
}
