import { type ExecutionRecord, executionRecord } from '../runs/run-records.ts';
import type { Database } from '../database/database.ts';
import { SMALL_EXECUTION_COLUMNS } from '../runs/run-tables.ts';
import type { Row } from '../tables/tables.ts';
import { all, not } from '../database/rows.ts';
import { sql } from '../database/sql.ts';

export interface NamedRun {
  execution: ExecutionRecord;
  cronName: string;
}

type LastRunRow = Row<'ended_executions'> & { cron_name: string };

/**
 * The last run of each cron, latest end first: the search over all runs takes ten times as long for 900 crons. The few runs that are shown come first in cross joins, because SQLite keeps their order; it would
 * otherwise read all executions.
 */
export async function readLastRuns(
  db: Database,
  teamId: string,
  limit: number,
): Promise<NamedRun[]> {
  const rows = await db.ask(sql<LastRunRow>`
    with latest as materialized (
      select crons.team_id, crons.id as cron_id, crons.name, run.id
      from crons ${sql.raw(db.dialect.joinPicked(LAST_RUN))} where crons.team_id = ${teamId}
      order by run.completed_at desc, run.id desc limit ${limit})
    select latest.name as cron_name, ${sql.raw(COLUMNS.join(', '))}
    from latest cross join ended_executions executions
    where executions.team_id = latest.team_id and executions.id = latest.id
    order by executions.completed_at desc, executions.id desc`);
  return rows.map((row) => ({ execution: executionRecord(row), cronName: row.cron_name }));
}

/** A lateral subquery: Postgres would read all executions to join an id from a scalar subquery. */
const LAST_RUN = {
  table: 'ended_executions',
  as: 'run',
  columns: ['id', 'completed_at'],
  pick: (columns: string) => `
    select ${columns} from ended_executions x where x.cron_id = crons.id
    order by x.id desc limit 1`,
};

const COLUMNS = SMALL_EXECUTION_COLUMNS.map((name) => `executions.${name}`);

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
