import type { AlertLevel } from '#domain/alerts/alert-streak';
import { isAside } from '#domain/alerts/alert-words';
import type { AlertDelivery } from '../tables/alerts.ts';
import type { Row } from '../tables/tables.ts';
import { raiseReminders } from './reminders.ts';
import { checkQueues, listOpenWatches } from './queue-watches.ts';
import { findSlowSince } from './slow-spells.ts';
import { newId } from '#domain/base/ids';
import { sql } from '../database/sql.ts';
import { monthOf } from '../figures/usage.ts';
import { above, addMissing, all, atMost, below, change } from '../database/rows.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import type { Context } from '../database/context.ts';

export type AlertRow = Row<'alerts'>;
type OfUsage = 'month' | 'mark' | 'used' | 'monthly_limit';
/** Recorded and not sent (§6.7). */
type UsageRow = AlertRow & {
  level: 'usage';
  source: 'team';
  month: string;
  mark: 80 | 100;
  used: number;
  monthly_limit: number;
};
export type RunAlertRow = Omit<AlertRow, OfUsage> & {
  level: AlertLevel;
  source: 'cron' | 'queue';
  delivery: AlertDelivery;
};

export const readRow = (row: AlertRow) => row as UsageRow | RunAlertRow;

interface OfSource<Kind> {
  /** By its name at that time; it may be renamed or deleted. */
  source: { kind: Kind; id: string; name: string };
  isRead: boolean;
}

type AlertOf<R extends RunAlertRow | UsageRow> = OfSource<R['source']> &
  RecordOf<
    Omit<R, 'source' | 'source_id' | 'source_name' | 'is_read' | 'notification_id' | 'window_id'>
  >;
export type StoredAlert = AlertOf<RunAlertRow>;
export type UsageAlert = AlertOf<UsageRow>;

export interface AlertFilter {
  level?: AlertLevel | 'usage' | undefined;
  source?: { kind: 'cron' | 'queue'; id: string };
  sourceKind?: 'cron' | 'queue';
  delivery?: AlertDelivery;
  windowId?: string;
  unreadOnly?: boolean;
  before?: string;
  /** The previous page: after this id. */
  after?: string;
  limit: number;
}

/** SQLite uses the partial index only if the text has the value. */
const UNREAD = sql<0>`0`;

export function alertOf<R extends RunAlertRow | UsageRow>(row: R) {
  const { source: kind, source_id: id, source_name: name, is_read, ...rest } = row;
  const source = { kind, id, name };
  return { ...toRecord(rest), source, isRead: is_read === 1 } as unknown as R extends UsageRow
    ? UsageAlert
    : StoredAlert;
}

/** Settlements, reminders, usage and ends of windows raise alerts. */
export const alerts = {
  /** Alerts of runs and about usage (§6.7), newest first. */
  async list(
    { searches }: Context,
    teamId: string,
    filter: AlertFilter,
  ): Promise<(StoredAlert | UsageAlert)[]> {
    const { level, source, delivery, windowId, unreadOnly, before, after, limit } = filter;
    const wanted = {
      team_id: teamId,
      level,
      source: source?.kind ?? filter.sourceKind,
      source_id: source?.id,
      delivery,
      window_id: windowId,
      is_read: unreadOnly === true ? UNREAD : undefined,
      id: after === undefined ? before && below(before) : above(after),
    };
    const order = [after === undefined ? 'id desc' : 'id'] as const;
    const rows = await all(searches, 'alerts', wanted, { order, limit });
    const found = rows.map(readRow).map((row) => alertOf(row));
    return after === undefined ? found : found.toReversed();
  },

  /** The sources with a recovery of the same kind after the given alert. @param sourceIds  some hundreds at most */
  async listRecoveredSince(
    { main }: Context,
    teamId: string,
    sourceIds: readonly string[],
    { id, kind }: Pick<StoredAlert, 'id' | 'kind'>,
  ): Promise<Set<string>> {
    const recovered = { level: 'recovery', kind: isAside(kind) ? kind : null } as const;
    const key = { team_id: teamId, source_id: sourceIds, id: above(id), ...recovered };
    const rows = await all(main, 'alerts', key, { columns: ['source_id'] });
    return new Set(rows.map(({ source_id }) => source_id));
  },

  /** @param alertIds some hundreds at most */
  async mark(
    { main }: Context,
    teamId: string,
    alertIds: readonly string[],
    isRead: boolean,
  ): Promise<number> {
    return change(main, 'alerts', { team_id: teamId, id: alertIds }, { is_read: isRead ? 1 : 0 });
  },

  findSlowSince,
  listOpenWatches,
  checkQueues,
  raiseReminders,
  raiseUsage: raiseUsageAlerts,

  async markReadUpTo(context: Context, teamId: string, alertId: string): Promise<number> {
    for (let marked = 0; ;) {
      const some = await markSomeRead(context, teamId, alertId);
      marked += some;
      if (some < MARKED_AT_ONCE) return marked;
    }
  },
};

async function markSomeRead({ main }: Context, teamId: string, alertId: string): Promise<number> {
  const unread = { team_id: teamId, is_read: UNREAD, id: atMost(alertId) };
  return main.transact(async (trx) => {
    const rows = await all(trx, 'alerts', unread, { columns: ['id'], limit: MARKED_AT_ONCE });
    const key = { team_id: teamId, id: rows.map(({ id }) => id) };
    return rows.length === 0 ? 0 : change(trx, 'alerts', key, { is_read: 1 });
  });
}

/** A burst can leave very many alerts. */
const MARKED_AT_ONCE = 1_000;

const MARKS = [80, 100] as const;

type UsedByTeam = Pick<Row<'usage_months'>, 'team_id' | 'used'> &
  Pick<Row<'teams'>, 'plan' | 'name'>;

/** Once per mark, month and team, across nodes (§6.7). @param limitOf null: no limit */
async function raiseUsageAlerts(
  { main: db }: Context,
  now: number,
  limitOf: (plan: string) => number | null,
): Promise<void> {
  const month = monthOf(now);
  const teams = await db.ask(sql<UsedByTeam>`
    select m.team_id, m.used, t.plan, t.name from usage_months m join teams t on t.id = m.team_id
    where m.month = ${month} and t.deleted_at is null`);
  const reached = teams.flatMap(({ team_id, used, plan, name }) => {
    const limit = limitOf(plan);
    if (limit === null || limit === 0) return [];
    // A small limit can reach both; only the higher is raised.
    const mark = MARKS.findLast((each) => used * 100 >= limit * each);
    if (mark === undefined) return [];
    const key = { team_id, id: newId(now), raised_at: now, level: 'usage' as const };
    const source = { source: 'team' as const, source_id: team_id, source_name: name };
    return [{ ...key, ...source, month, mark, used, monthly_limit: limit }];
  });
  if (reached.length === 0) return;
  const ids = reached.map(({ team_id }) => team_id);
  const raised = await all(db, 'alerts', { team_id: ids, month }, { columns: ['team_id', 'mark'] });
  const known = new Set(raised.map(({ team_id, mark }) => `${team_id} ${mark}`));
  for (const row of reached) {
    const isKnown = [row.mark, 100].some((mark) => known.has(`${row.team_id} ${mark}`));
    if (!isKnown) await addMissing(db, 'alerts', row);
  }
}
