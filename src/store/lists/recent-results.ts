import { ENDED_JOB_STATUSES } from '#domain/runs/run-status';
import type { Database } from '../database/database.ts';
import { type Dialect, IDS, packIds } from '../database/dialect.ts';
import { pageStatement, preparedStatement } from '../database/prepared.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import type { EndedTable } from '../runs/run-tables.ts';

export interface RunResult extends RecordOf<Pick<Row, 'id' | (typeof OUTCOME)[number]>> {
  status: 'success' | 'failed' | 'running';
  /** Its job has another attempt. */
  isRetried: boolean;
}

const OUTCOME = ['completed_at', 'duration_ms', 'response_status'] as const;

interface Row extends Record<(typeof OUTCOME)[number], number | null> {
  source_id: string;
  id: string;
  status: string;
}

function runsOfEach(
  dialect: Dialect,
  table: EndedTable | 'executions',
  pick: (columns: string) => string,
): string {
  const source = table === 'ended_jobs' ? 'queue_id' : 'cron_id';
  const outcome: readonly string[] = table === 'executions' ? [] : OUTCOME;
  const columns = ['id', source, 'status', ...outcome];
  const values = OUTCOME.map((name) =>
    outcome.includes(name) ? `r.${name} as ${name}` : `null as ${name}`,
  );
  return `select r.${source} as source_id, r.id as id, r.status as status, ${values.join(', ')}
    from ${dialect.rows(IDS, 1)} ${dialect.joinPicked({ table, as: 'r', columns, pick })}`;
}

/** Ended ones, then waiting or running ones. $1 crons, $2 limit of each, $3 team */
const lastRuns = pageStatement<Row>('last-runs-of-crons', (dialect) => {
  const parts = (['ended_executions', 'executions'] as const).map((table) =>
    runsOfEach(
      dialect,
      table,
      (columns) => `
      select ${columns} from ${table} x
      where x.cron_id = given.id and x.team_id = ${dialect.$(3)}
      order by x.id desc limit ${dialect.$(2)}`,
    ),
  );
  return parts.join(' union all ');
});

/** The newest of each status, then of all: short ranges of `ended_jobs_of_queue`. $1 queues, $2 limit of each */
const lastAttempts = preparedStatement<Row>('last-attempts-of-queues', (dialect) =>
  runsOfEach(dialect, 'ended_jobs', (columns) =>
    ENDED_JOB_STATUSES.map(
      (status) => `select * from (select ${columns} from ended_jobs x
      where x.queue_id = given.id and x.status = '${status}'
      order by x.completed_at desc, x.id desc limit ${dialect.$(2)}) as of_${status}`,
    ).join(' union all '),
  ),
);

/** Oldest first. A run that waits for an engine counts as running. */
export async function readCronResults(
  db: Database,
  teamId: string,
  cronIds: readonly string[],
  length: number,
): Promise<Map<string, RunResult[]>> {
  const rows = await db.read(lastRuns, [packIds(cronIds), length, teamId]);
  return groupResults(rows.toSorted(byId), cronIds, length);
}

/** Oldest first. */
export async function readQueueResults(
  db: Database,
  queueIds: readonly string[],
  length: number,
): Promise<Map<string, RunResult[]>> {
  const rows = await db.read(lastAttempts, [packIds(queueIds), length]);
  const byEnd = (a: Row, b: Row) => (a.completed_at ?? 0) - (b.completed_at ?? 0) || byId(a, b);
  return groupResults(rows.toSorted(byEnd), queueIds, length);
}

const byId = (a: Row, b: Row) => (a.id < b.id ? -1 : 1);

function groupResults(
  rows: readonly Row[],
  sourceIds: readonly string[],
  length: number,
): Map<string, RunResult[]> {
  const bySource = Map.groupBy(rows, ({ source_id }) => source_id);
  return new Map(
    sourceIds.map((id) => [id, (bySource.get(id) ?? []).slice(-length).map(resultOf)]),
  );
}

function resultOf(row: Row): RunResult {
  const ended = row.status === 'success' ? 'success' : 'failed';
  const status = row.completed_at === null ? 'running' : ended;
  return { ...toRecord(row, ['id', ...OUTCOME]), status, isRetried: row.status === 'retried' };
}
