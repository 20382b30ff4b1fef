import { sql } from 'kysely';
import type { AlertLevel } from '#domain/alert-streak';
import type { FailureReason } from '#domain/failure';
import type { AlertDelivery, AlertKind } from '../tables/alerts.ts';
import type { Row } from '../tables/tables.ts';
import type { Database } from '../database/database.ts';
import type { SlowRule } from '#domain/slow-runs';
import { raiseReminders } from './reminders.ts';
import { findSlowSince } from './slow-spells.ts';
import { raiseUsageAlerts } from './usage-alerts.ts';
import { below, change, one, remove } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

/** An alert as recorded (§6.5). */
export interface StoredAlert {
  teamId: string;
  id: string;
  raisedAt: number;
  level: AlertLevel;
  /** The cron or queue, by its name at that time; it may have been renamed or deleted since. */
  source: { kind: 'cron' | 'queue'; id: string; name: string };
  /** The id of the cron's execution or the queue's job. */
  runId: string;
  /** Jobs: from 1; null for crons. */
  attemptNumber: number | null;
  responseStatus: number | null;
  reason: FailureReason | null;
  errorMessage: string | null;
  /** Crons: the consecutive failed runs; null for queues. */
  failedRuns: number | null;
  /** Recoveries: for how long it was down. */
  downMs: number | null;
  delivery: AlertDelivery;
  /** The name of the maintenance window that muted it. */
  mutedBy: string | null;
  isRead: boolean;
  /** The kind of an alert that no run has raised, such as a reminder; null for a run's own alert. */
  kind: AlertKind | null;
}

/** An alert that a team has used 80 or 100 % of its month (§6.7). It is recorded and not sent. */
export interface UsageAlert {
  teamId: string;
  id: string;
  raisedAt: number;
  level: 'usage';
  source: { kind: 'team'; id: string; name: string };
  /** `2026-11`, UTC. */
  month: string;
  /** Per cent of the limit. */
  mark: 80 | 100;
  used: number;
  limit: number;
  isRead: boolean;
}

type AlertRow = Row<'alerts'>;
type UsageRow = AlertRow & { level: 'usage'; month: string; mark: 80 | 100 };
export type RunAlertRow = AlertRow & {
  level: AlertLevel;
  source: 'cron' | 'queue';
  run_id: string;
  delivery: AlertDelivery;
};

/** The alert of a row, by its level. */
export const readRow = (row: AlertRow) => row as UsageRow | RunAlertRow;

export interface AlertFilter {
  level?: AlertLevel | undefined;
  source?: { kind: 'cron' | 'queue'; id: string };
  sourceKind?: 'cron' | 'queue';
  delivery?: AlertDelivery;
  /** Only alerts that this maintenance window muted. */
  windowId?: string;
  unreadOnly?: boolean;
  /** Only alerts older than the one of this id: the next page. */
  before?: string;
  /** Only the nearest alerts after the one of this id: the page before. */
  after?: string;
  limit: number;
}

/** The filter of a list of all alerts, those of runs and those about usage. */
export type AlertsAsked = Omit<AlertFilter, 'level'> & { level?: AlertLevel | 'usage' | undefined };

/** A literal 0: SQLite uses the partial index of unread alerts only if it sees the value in the text. */
const UNREAD = sql.lit(0 as const);

export function storedAlert(row: RunAlertRow): StoredAlert {
  return {
    teamId: row.team_id,
    id: row.id,
    raisedAt: row.raised_at,
    level: row.level,
    source: { kind: row.source, id: row.source_id, name: row.source_name },
    runId: row.run_id,
    attemptNumber: row.attempt_number,
    responseStatus: row.response_status,
    reason: row.reason,
    errorMessage: row.error_message,
    failedRuns: row.failed_runs,
    downMs: row.down_ms,
    delivery: row.delivery,
    mutedBy: row.muted_by,
    isRead: row.is_read === 1,
    kind: row.kind,
  };
}

function usageAlert(row: UsageRow): UsageAlert {
  return {
    teamId: row.team_id,
    id: row.id,
    raisedAt: row.raised_at,
    level: row.level,
    source: { kind: 'team', id: row.source_id, name: row.source_name },
    month: row.month,
    mark: row.mark,
    used: row.used ?? 0,
    limit: row.monthly_limit ?? 0,
    isRead: row.is_read === 1,
  };
}

/**
 * Reads alerts and marks them as read. They are raised elsewhere: by settlements (raise-alerts.ts), reminders, usage
 * and ends of windows.
 */
export const alerts = {
  /** Alerts of runs and about usage (§6.7), newest first. */
  async listAll(
    context: Context,
    teamId: string,
    filter: AlertsAsked,
  ): Promise<(StoredAlert | UsageAlert)[]> {
    const rows = await listRows(context, teamId, filter);
    return rows.map((row) => (row.level === 'usage' ? usageAlert(row) : storedAlert(row)));
  },

  /** Alerts of runs, newest first. */
  async list(context: Context, teamId: string, filter: AlertFilter): Promise<StoredAlert[]> {
    const rows = await listRows(context, teamId, filter);
    return rows.flatMap((row) => (row.level === 'usage' ? [] : [storedAlert(row)]));
  },

  async find({ main }: Context, teamId: string, alertId: string): Promise<StoredAlert | null> {
    const found = await one(main, 'alerts', { team_id: teamId, id: alertId });
    const row = found && readRow(found);
    return row && row.level !== 'usage' ? storedAlert(row) : null;
  },

  /**
   * The crons and queues that have had a recovery of the same kind after the given alert.
   *
   * @param sourceIds  some hundreds at most
   */
  async listRecoveredSince(
    { main }: Context,
    teamId: string,
    sourceIds: readonly string[],
    { id, kind }: Pick<StoredAlert, 'id' | 'kind'>,
  ): Promise<Set<string>> {
    const rows = await main.read((db) =>
      db
        .selectFrom('alerts')
        .select('source_id')
        .distinct()
        .where('team_id', '=', teamId)
        .where('source_id', 'in', sourceIds)
        .where('id', '>', id)
        .where('level', '=', 'recovery')
        .where('kind', kind === 'slow' ? '=' : 'is', kind === 'slow' ? kind : null)
        .execute(),
    );
    return new Set(rows.map(({ source_id }) => source_id));
  },

  /** Counts unread alerts, up to `most`. */
  async countUnread({ searches }: Context, teamId: string, most: number): Promise<number> {
    const { n } = await searches.read((db) =>
      db
        .selectFrom((eb) =>
          eb
            .selectFrom('alerts')
            .select('id')
            .where('team_id', '=', teamId)
            .where('is_read', '=', UNREAD)
            .limit(most)
            .as('unread'),
        )
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow(),
    );
    return n;
  },

  /**
   * Marks alerts as read, or as unread again.
   *
   * @param alertIds  some hundreds at most
   * @returns how many of them exist
   */
  async mark(
    { main }: Context,
    teamId: string,
    alertIds: readonly string[],
    isRead: boolean,
  ): Promise<number> {
    if (alertIds.length === 0) return 0;
    return change(main, 'alerts', { team_id: teamId, id: alertIds }, { is_read: isRead ? 1 : 0 });
  },

  /** Since when a cron or queue is slow by its rule; null: it is not. */
  async findSlowSince(
    { main }: Context,
    teamId: string,
    sourceId: string,
    rule: SlowRule,
  ): Promise<number | null> {
    return findSlowSince(main, teamId, sourceId, rule);
  },

  /** Raises reminders for crons and queues that still fail, if they are configured (§6.5). */
  async raiseReminders({ main }: Context, now: number): Promise<void> {
    return raiseReminders(main, now);
  },

  /**
   * Raises an alert for each team that has used 80 or 100 % of its month (§6.7).
   *
   * @param limitOf  the monthly limit of runs of a plan, null for none
   */
  async raiseUsage(
    { main }: Context,
    now: number,
    limitOf: (plan: string) => number | null,
  ): Promise<void> {
    return raiseUsageAlerts(main, now, limitOf);
  },

  /**
   * Marks the alert of that id and all older ones as read.
   *
   * @returns how many were unread
   */
  async markReadUpTo(context: Context, teamId: string, alertId: string): Promise<number> {
    for (let marked = 0; ;) {
      const some = await markSomeRead(context, teamId, alertId);
      marked += some;
      if (some < MARKED_AT_ONCE) return marked;
    }
  },
};

/** Newest first. */
async function listRows({ searches }: Context, teamId: string, filter: AlertsAsked) {
  const { level, source, delivery, windowId, unreadOnly, before, after } = filter;
  const kind = source?.kind ?? filter.sourceKind;
  const rows = await searches.read((db) => {
    let query = db.selectFrom('alerts').selectAll().where('team_id', '=', teamId);
    if (level !== undefined) query = query.where('level', '=', level);
    if (kind !== undefined) query = query.where('source', '=', kind);
    if (source !== undefined) query = query.where('source_id', '=', source.id);
    if (delivery !== undefined) query = query.where('delivery', '=', delivery);
    if (windowId !== undefined) query = query.where('window_id', '=', windowId);
    if (unreadOnly === true) query = query.where('is_read', '=', UNREAD);
    if (before !== undefined) query = query.where('id', '<', before);
    if (after !== undefined) query = query.where('id', '>', after);
    const order = after === undefined ? 'desc' : 'asc';
    return query.orderBy('id', order).limit(filter.limit).execute();
  });
  const read = rows.map(readRow);
  return after === undefined ? read : read.toReversed();
}

async function markSomeRead({ main }: Context, teamId: string, alertId: string): Promise<number> {
  const { numUpdatedRows } = await main.transact((trx) =>
    trx
      .updateTable('alerts')
      .set({ is_read: 1 })
      .where('team_id', '=', teamId)
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('alerts')
          .select('id')
          .where('team_id', '=', teamId)
          .where('is_read', '=', UNREAD)
          .where('id', '<=', alertId)
          .limit(MARKED_AT_ONCE),
      )
      .executeTakeFirst(),
  );
  return Number(numUpdatedRows);
}

/** How many alerts one transaction marks. A burst can leave very many, and a long transaction would block others. */
const MARKED_AT_ONCE = 1_000;

/**
 * Deletes some of the alerts that were raised before `before`, and the bursts that were over by then (§3.9).
 *
 * @param most  the most alerts of one call
 * @returns how many alerts were deleted; fewer than `most` means that none is left
 */
export async function deleteOldAlerts(db: Database, before: number, most: number): Promise<number> {
  return db.transact(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('alerts')
      .where(
        sql<boolean>`(team_id, id) in (select team_id, id from alerts where raised_at < ${before}
          order by raised_at limit ${most})`,
      )
      .executeTakeFirst();
    await remove(trx, 'alert_bursts', { quiet_until: below(before) });
    return Number(numDeletedRows);
  });
}
