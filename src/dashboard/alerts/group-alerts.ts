/**
 * Puts alerts that say the same about the same source into one line: twelve alerts with one cause would hide all
 * others.
 */
import { describeOutcome } from '../runs/reasons.ts';
import type { Alert } from '../services.ts';
import { describeAlert } from './alert-words.ts';

export type AlertGroup = {
  /** The newest alert of the group. */
  alert: Alert;
  /** The ids of all its alerts, newest first. */
  ids: string[];
};

/** @param alerts  newest first; the groups are in the order of their newest alerts */
export function groupAlerts(alerts: readonly Alert[]): AlertGroup[] {
  return [...Map.groupBy(alerts, keyOf).values()].flatMap((group) => {
    const [alert] = group;
    return alert ? [{ alert, ids: group.map(({ id }) => id) }] : [];
  });
}

export function oneByOne(alerts: readonly Alert[]): AlertGroup[] {
  return alerts.map((alert) => ({ alert, ids: [alert.id] }));
}

/**
 * Alerts with the same key share a line. One that was read, or was delivered in another way, gets a line of its own.
 */
function keyOf(alert: Alert): string {
  if (alert.level === 'usage' || alert.level === 'recovery') return alert.id;
  const { level, kind, source, delivery, mutedBy, isRead } = alert;
  const what = [level, kind, source.kind, source.id, isRead, delivery, mutedBy];
  return JSON.stringify([...what, describeOutcome(alert)]);
}

/** `“mail”: 12 first attempts failed` */
export function describeGroup({ alert, ids }: AlertGroup): string {
  const count = ids.length.toLocaleString('en');
  if (ids.length === 1 || alert.level === 'usage' || alert.kind !== null)
    return describeAlert(alert);
  const { source, level } = alert;
  const name = `“${source.name}”`;
  if (source.kind === 'cron') return `${name} failed: ${count} alerts`;
  return level === 'failure'
    ? `${name}: ${count} jobs were dead-lettered`
    : `${name}: ${count} first attempts failed`;
}
