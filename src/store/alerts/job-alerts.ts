import { readAlertSettings } from '#domain/alert-settings';
import type { Trx } from '../database/database.ts';
import { noteFailing } from './queue-reminders.ts';
import { type AlertToRaise, raiseAlerts } from './raise-alerts.ts';
import type { RunEnd } from '../runs/settlement.ts';
import { all } from '../database/rows.ts';

/** An alert that an ended attempt raises; which ones do is decided in domain/job-alert. */
export interface JobAlert {
  level: 'warning' | 'failure';
  teamId: string;
  queueId: string;
  jobId: string;
  attemptNumber: number;
  end: Pick<RunEnd, 'completedAt' | 'responseStatus' | 'reason' | 'errorMessage'>;
}

/** Raises alerts of jobs in the transaction that settles them. */
export async function raiseJobAlerts(trx: Trx, alerts: readonly JobAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  const queues = await all(
    trx,
    'queues',
    { id: [...new Set(alerts.map(({ queueId }) => queueId))] },
    { columns: ['id', 'name', 'alert_settings'] },
  );
  const byId = new Map(queues.map((queue) => [queue.id, queue]));
  const raised = alerts.map((alert): AlertToRaise => {
    const { completedAt, responseStatus, reason, errorMessage } = alert.end;
    const queue = byId.get(alert.queueId);
    return {
      teamId: alert.teamId,
      level: alert.level,
      source: { kind: 'queue', id: alert.queueId, name: queue?.name ?? '' },
      runId: alert.jobId,
      attemptNumber: alert.attemptNumber,
      raisedAt: completedAt,
      responseStatus,
      reason,
      errorMessage,
      failedRuns: null,
      downMs: null,
      settings: readAlertSettings(queue?.alert_settings ?? null),
      kind: null,
    };
  });
  const failed = raised.filter(({ level }) => level === 'failure');
  await noteFailing(
    trx,
    failed.map(({ teamId, source, raisedAt, settings }) => {
      return { teamId, queueId: source.id, at: raisedAt, settings };
    }),
  );
  await raiseAlerts(trx, raised);
}
