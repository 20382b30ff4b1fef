import { newId } from '#domain/ids';
import type { Row } from '../tables/tables.ts';
import type { Database } from '../database/database.ts';
import { periodsOf } from '../figures/usage.ts';
import { addMissing, one } from '../database/rows.ts';

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
  mark: Row<'usage_alerts'>['mark'];
  used: number;
  limit: number;
  isRead: boolean;
}

const MARKS = [80, 100] as const;

/** The filter of a list of alerts about usage. */
export interface UsageAlertsAsked {
  unreadOnly?: boolean | undefined;
  before?: string | undefined;
  after?: string | undefined;
}

/** Lists alerts about usage. There are two a month at most, kept for 90 days. */
export async function listUsageAlerts(
  db: Database,
  teamId: string,
  { unreadOnly, before, after }: UsageAlertsAsked,
): Promise<UsageAlert[]> {
  const rows = await db.read((reader) => {
    let query = reader
      .selectFrom('usage_alerts')
      .innerJoin('teams', 'teams.id', 'usage_alerts.team_id')
      .selectAll('usage_alerts')
      .select('teams.name')
      .where('team_id', '=', teamId);
    if (unreadOnly === true) query = query.where('is_read', '=', 0);
    if (before !== undefined) query = query.where('usage_alerts.id', '<', before);
    if (after !== undefined) query = query.where('usage_alerts.id', '>', after);
    return query.orderBy('usage_alerts.id', 'desc').execute();
  });
  return rows.map((row) => ({
    teamId: row.team_id,
    id: row.id,
    raisedAt: row.raised_at,
    level: 'usage',
    source: { kind: 'team', id: row.team_id, name: row.name },
    month: row.month,
    mark: row.mark,
    used: row.used,
    limit: row.monthly_limit,
    isRead: row.is_read === 1,
  }));
}

/**
 * Raises an alert for each team that has used 80 or 100 % of its month: each mark once a month, on any number of nodes.
 *
 * @param limitOf  the monthly limit of runs of a plan, null for none
 */
export async function raiseUsageAlerts(
  db: Database,
  now: number,
  limitOf: (plan: string) => number | null,
): Promise<void> {
  const { month } = periodsOf(now);
  const teams = await db.read((reader) =>
    reader
      .selectFrom('usage_months as m')
      .innerJoin('teams as t', 't.id', 'm.team_id')
      .leftJoin('usage_alerts as a', (join) =>
        join
          .onRef('a.team_id', '=', 'm.team_id')
          .onRef('a.month', '=', 'm.month')
          .on('a.mark', '=', 100),
      )
      .select(['m.team_id', 'm.used', 't.plan'])
      .where('m.month', '=', month)
      .where('t.deleted_at', 'is', null)
      .where('a.id', 'is', null)
      .execute(),
  );
  const reached = teams.flatMap(({ team_id, used, plan }) => {
    const limit = limitOf(plan);
    if (limit === null || limit === 0) return [];
    // A small limit can reach both marks at once; then only the higher one is raised.
    const mark = MARKS.findLast((each) => used * 100 >= limit * each);
    if (mark === undefined) return [];
    return [{ team_id, month, mark, id: newId(now), raised_at: now, used, monthly_limit: limit }];
  });
  for (const row of reached) await insertOnce(db, row);
}

async function insertOnce(db: Database, row: Omit<Row<'usage_alerts'>, 'is_read'>): Promise<void> {
  const { team_id, month, mark } = row;
  const known = await db.read((reader) =>
    one(reader, 'usage_alerts', { team_id, month, mark }, ['id']),
  );
  if (known) return;
  await db.transact((trx) => addMissing(trx, 'usage_alerts', { ...row, is_read: 0 }));
}
