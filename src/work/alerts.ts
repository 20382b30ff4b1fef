import { isId } from '#domain/ids';
import type { SlowRule } from '#domain/slow-runs';
import type { AlertsAsked, StoredAlert, UsageAlert } from '#store/alerts/alerts';
import { COUNT_LIMIT } from '#store/database/bounded-count';
import type { Store } from '#store/store';
import { boundLimit } from './list-limit.ts';

export type Alert = StoredAlert | UsageAlert;
export type { AlertsAsked as AlertFilter, StoredAlert, UsageAlert };

/** Reading a team's alerts, and marking them as read (§6.4, §6.7). Only the engine raises alerts. */
export interface AlertWork {
  /** Newest first. A `source.id`, `before` or `after` that is not an id finds nothing. */
  listAlerts(teamId: string, filter: AlertsAsked): Promise<Alert[]>;
  /** Finds an alert of a run. */
  findAlert(teamId: string, alertId: string): Promise<StoredAlert | null>;
  /** Since when a cron or queue is slow by its rule (§6.4); null: it is not. */
  findSlowSince(teamId: string, sourceId: string, rule: SlowRule): Promise<number | null>;
  /** Counts unread alerts, up to `COUNT_LIMIT`. */
  countUnreadAlerts(teamId: string): Promise<number>;
  /**
   * Marks alerts as read, or as unread again.
   *
   * @param alertIds  some hundreds at most
   * @returns how many of them exist
   */
  markAlerts(teamId: string, alertIds: readonly string[], isRead: boolean): Promise<number>;
  /** Marks an alert and all older ones as read, but none that came later. Gives how many were unread. */
  markAlertsReadUpTo(teamId: string, alertId: string): Promise<number>;
}

export function createAlertWork({ alerts }: Store): AlertWork {
  return {
    listAlerts: async (teamId, filter) => {
      const asked = [filter.source?.id, filter.windowId, filter.before, filter.after];
      if (asked.some((id) => id !== undefined && !isId(id))) return [];
      return alerts.listAll(teamId, { ...filter, limit: boundLimit(filter.limit) });
    },
    findAlert: async (teamId, alertId) => (isId(alertId) ? alerts.find(teamId, alertId) : null),
    findSlowSince: async (teamId, sourceId, rule) =>
      isId(sourceId) ? alerts.findSlowSince(teamId, sourceId, rule) : null,
    countUnreadAlerts: (teamId) => alerts.countUnread(teamId, COUNT_LIMIT),
    markAlerts: async (teamId, alertIds, isRead) =>
      alerts.mark(teamId, [...new Set(alertIds.filter(isId))], isRead),
    markAlertsReadUpTo: async (teamId, alertId) =>
      isId(alertId) ? alerts.markReadUpTo(teamId, alertId) : 0,
  };
}
