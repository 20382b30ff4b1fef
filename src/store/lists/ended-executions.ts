import { earliestIdAt } from '#domain/ids';
import { executionRecord } from '../crons/crons.ts';
import type { NamedRun } from '../crons/cron-overview.ts';
import type { Database } from '../database/database.ts';
import { runPrepared } from '../database/prepared.ts';
import { SMALL_EXECUTION_COLUMNS } from '../runs/run-tables.ts';
import type { EndedExecutionsTable } from '../database/schema.ts';
import { pageStatement } from './statement.ts';

/** Ids tell when a run was made: one that ended in a time was made at most so long before. */
const LONGEST_RUN_MS = 3_600_000;

/** What is big is left out. */
const COLUMNS = SMALL_EXECUTION_COLUMNS.map((name) => `executions.${name}`);

interface EndedRow extends EndedExecutionsTable {
  cron_name: string;
}

/** A short range of each cron's executions. 1 team, 2 and 3 ids, 4 and 5 ends, 6 how many */
const endedExecutions = pageStatement<EndedRow>('ended-executions', (dialect) => {
  const [firstId, lastId] = [dialect.$(2, 'id'), dialect.$(3, 'id')];
  const ended = {
    table: 'ended_executions',
    as: 'run',
    columns: ['id', 'completed_at'],
    pick: (columns: string) => `
      select ${columns} from ended_executions x
      where x.cron_id = crons.id and x.id >= ${firstId} and x.id < ${lastId}
        and x.completed_at >= ${dialect.$(4)} and x.completed_at < ${dialect.$(5)}
      order by x.id desc limit ${dialect.$(6)}`,
  };
  return `
  with ended as materialized (
    select crons.team_id, crons.name, run.id, run.completed_at
    from crons ${dialect.joinPicked(ended)} where crons.team_id = ${dialect.$(1)}
    order by run.completed_at desc, run.id desc limit ${dialect.$(6)})
  select ended.name as cron_name, ${COLUMNS.join(', ')}
  from ended cross join ended_executions executions
  where executions.team_id = ended.team_id and executions.id = ended.id
  order by executions.completed_at desc, executions.id desc`;
});

/** A team's executions that ended in a time, latest end first. */
export async function listEndedExecutions(
  db: Database,
  teamId: string,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<NamedRun[]> {
  const ids = [earliestIdAt(Math.max(0, from - LONGEST_RUN_MS)), earliestIdAt(to)];
  const parameters = [teamId, ...ids, from, to, limit];
  const rows = await db.read((reader) =>
    runPrepared(reader, db.dialect, endedExecutions, parameters),
  );
  return rows.map((row) => ({ execution: executionRecord(row), cronName: row.cron_name }));
}
