import { type ExecutionRecord, executionRecord } from './execution-records.ts';
import type { Database } from '../database/database.ts';
import { SMALL_EXECUTION_COLUMNS } from '../runs/run-tables.ts';
import type { Row } from '../tables/tables.ts';
import { all, not } from '../database/rows.ts';
import { pageStatement } from '../database/prepared.ts';

export interface NamedRun {
  execution: ExecutionRecord;
  cronName: string;
}

/** The last finished runs of crons, latest end first. */
export interface LastRuns {
  ofAll: NamedRun[];
  /** The failed ones of active crons. */
  failing: NamedRun[];
}

interface LastRunRow extends Row<'ended_executions'> {
  list: 'all' | 'failing';
  cron_name: string;
}

/**
 * Reads the last runs. Each cron's last run is looked up once for both lists, by one index step. The few runs that are
 * shown come first in cross joins, because SQLite keeps their order; it would otherwise read all executions.
 */
export async function readLastRuns(db: Database, teamId: string, limit: number): Promise<LastRuns> {
  const rows = await db.read(lastRuns, [teamId, limit]);
  const named = (list: LastRunRow['list']) =>
    rows
      .filter((row) => row.list === list)
      .map((row) => ({ execution: executionRecord(row), cronName: row.cron_name }));
  return { ofAll: named('all'), failing: named('failing') };
}

/**
 * The last run of a cron. It is joined as a lateral subquery, since Postgres would read all executions to join them by
 * an id from a scalar subquery.
 */
const LAST_RUN = {
  table: 'ended_executions',
  as: 'run',
  columns: ['id', 'completed_at', 'status'],
  pick: (columns: string) => `
    select ${columns} from ended_executions x where x.cron_id = crons.id
    order by x.id desc limit 1`,
};

/** The columns without bodies and other large values. */
const COLUMNS = SMALL_EXECUTION_COLUMNS.map((name) => `executions.${name}`);

const lastRuns = pageStatement<LastRunRow>('last-runs', (dialect) => {
  const [team, limit] = [dialect.$(1), dialect.$(2)];
  const latest = (list: LastRunRow['list'], where: string) => `
    select '${list}' as list, team_id, cron_id, id from (
      select * from last ${where} order by completed_at desc, id desc limit ${limit}) as ${list}_runs`;
  return `
  with last as materialized (
    select crons.team_id, crons.id as cron_id, run.id, run.completed_at,
      crons.is_active = 1 and run.status = 'failed' as is_failing
    from crons ${dialect.joinPicked(LAST_RUN)} where crons.team_id = ${team}),
  latest as (${latest('all', '')} union all ${latest('failing', 'where is_failing')})
  select latest.list, crons.name as cron_name, ${COLUMNS.join(', ')}
  from latest cross join crons cross join ended_executions executions
  where crons.team_id = latest.team_id and crons.id = latest.cron_id
    and executions.team_id = latest.team_id and executions.id = latest.id
  order by executions.completed_at desc, executions.id desc`;
});

/** The crons that run next, soonest first. */
export async function listNextCrons(
  db: Database,
  teamId: string,
  limit: number,
): Promise<{ id: string; name: string; nextRunAt: number }[]> {
  const planned = { team_id: teamId, next_run_at: not(null) };
  const rows = await all(db, 'crons', planned, {
    columns: ['id', 'name', 'next_run_at'],
    order: ['next_run_at', 'id'],
    limit,
  });
  return rows.flatMap(({ id, name, next_run_at }) =>
    next_run_at === null ? [] : [{ id, name, nextRunAt: next_run_at }],
  );
}
