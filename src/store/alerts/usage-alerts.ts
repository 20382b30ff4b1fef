import { newId } from '#domain/ids';
import type { Context } from '../database/context.ts';
import { periodsOf } from '../figures/usage.ts';
import { addMissing, all } from '../database/rows.ts';

const MARKS = [80, 100] as const;

/** Raises each mark of a month once per team, on any number of nodes (§6.7). @param limitOf  null: no limit */
export async function raiseUsageAlerts(
  { main: db }: Context,
  now: number,
  limitOf: (plan: string) => number | null,
): Promise<void> {
  const { month } = periodsOf(now);
  const teams = await db.read((reader) =>
    reader
      .selectFrom('usage_months as m')
      .innerJoin('teams as t', 't.id', 'm.team_id')
      .select(['m.team_id', 'm.used', 't.plan', 't.name'])
      .where('m.month', '=', month)
      .where('t.deleted_at', 'is', null)
      .execute(),
  );
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
  // Usually no team is near its limit, and no alert is read.
  if (reached.length === 0) return;
  const ids = reached.map(({ team_id }) => team_id);
  const raised = await all(db, 'alerts', { team_id: ids, month }, { columns: ['team_id', 'mark'] });
  const known = new Set(raised.map(({ team_id, mark }) => `${team_id} ${mark}`));
  for (const row of reached) {
    const isKnown = [row.mark, 100].some((mark) => known.has(`${row.team_id} ${mark}`));
    if (!isKnown) await addMissing(db, 'alerts', row);
  }
}
