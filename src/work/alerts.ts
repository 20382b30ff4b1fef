import { isId } from '#domain/base/ids';
import type { AlertFilter, StoredAlert, UsageAlert } from '#store/alerts/alerts';
import type { OpenWatch } from '#store/alerts/queue-watches';
import type { Store } from '#store/store';
import { boundLimit } from './list-limit.ts';

export type Alert = StoredAlert | UsageAlert;
export type { AlertFilter, OpenWatch, StoredAlert, UsageAlert };

/** §6.4, §6.7. Only the engine raises alerts. */
export function createAlertWork({ alerts, certificates }: Store) {
  return {
    /** Newest first. A text that isn't an id finds nothing. */
    listAlerts: async (teamId: string, filter: AlertFilter): Promise<Alert[]> => {
      const asked = [filter.source?.id, filter.windowId, filter.before, filter.after];
      if (asked.some((id) => id !== undefined && !isId(id))) return [];
      return alerts.list(teamId, { ...filter, limit: boundLimit(filter.limit) });
    },
    /** Null: it isn't slow (§6.4). */
    findSlowSince: async (teamId: string, sourceId: string, slowSeconds: number) =>
      isId(sourceId) ? alerts.findSlowSince(teamId, sourceId, slowSeconds) : null,
    listEndingCertificates: async (teamId: string, sourceId: string) =>
      isId(sourceId) ? certificates.listOfSource(teamId, sourceId) : [],
    listOpenWatches: async (teamId: string, queueId: string) =>
      isId(queueId) ? alerts.listOpenWatches(teamId, [queueId]) : [],
    /**
     * For some hundred alerts.
     * @returns how many of them exist
     */
    markAlerts: async (teamId: string, alertIds: readonly string[], isRead: boolean) =>
      alerts.mark(teamId, [...new Set(alertIds.filter(isId))], isRead),
    /** None that came later. @returns how many were unread */
    markAlertsReadUpTo: async (teamId: string, alertId: string) =>
      isId(alertId) ? alerts.markReadUpTo(teamId, alertId) : 0,
  };
}
