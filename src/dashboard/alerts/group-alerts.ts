/** Alerts that say the same of the same source are one line: twelve of one cause hide what else there is. */
import { describeOutcome } from '../runs/reasons.ts';
import type { Alert } from '../services.ts';
import { describeAlert } from './alert-words.ts';

export type AlertGroup = {
  /** The newest of them. */
  alert: Alert;
  /** All of them, newest first. */
  ids: string[];
};

/** @param alerts  newest first; groups come in the order of their newest */
export function groupAlerts(alerts: readonly Alert[]): AlertGroup[] {
  return [...Map.groupBy(alerts, keyOf).values()].flatMap((group) => {
    const [alert] = group;
    return alert ? [{ alert, ids: group.map(({ id }) => id) }] : [];
  });
}

export function oneByOne(alerts: readonly Alert[]): AlertGroup[] {
  return alerts.map((alert) => ({ alert, ids: [alert.id] }));
}

/** What was read, or told in another way, is another line. */
function keyOf(alert: Alert): string {
  if (alert.level === 'usage' || alert.level === 'recovery') return alert.id;
  const { level, kind, source, delivery, mutedBy, isRead } = alert;
  const what = [level, kind, source.kind, source.id, isRead, delivery, mutedBy];
  return JSON.stringify([...what, describeOutcome(alert)]);
}

/** `“mail”: 12 first attempts failed` */
export function describeGroup({ alert, ids }: AlertGroup): string {
  const count = ids.length.toLocaleString('en');
  if (ids.length === 1 || alert.level === 'usage' || alert.kind === 'reminder')
    return describeAlert(alert);
  const { source, level } = alert;
  const name = `“${source.name}”`;
  if (source.kind === 'cron') return `${name} failed: ${count} alerts`;
  return level === 'failure'
    ? `${name}: ${count} jobs were dead-lettered`
    : `${name}: ${count} first attempts failed`;
}
