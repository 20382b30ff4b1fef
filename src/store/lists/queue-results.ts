import { ENDED_JOB_STATUSES } from '#domain/run-status';
import type { Database } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import type { EndedJobsTable } from '../database/schema.ts';
import type { RunResult } from './cron-lists.ts';

type Row = Pick<
  EndedJobsTable,
  'id' | 'queue_id' | 'status' | 'completed_at' | 'duration_ms' | 'response_status'
>;

const QUEUE = { queue_id: 'id' } as const satisfies Fields;
const COLUMNS = ['id', 'queue_id', 'status', 'completed_at', 'duration_ms', 'response_status'];

/**
 * The newest attempts of each status, from which the newest of all are taken. Each is a short range of
 * `ended_jobs_of_queue`.
 */
function newestOf(most: string, columns: string): string {
  const each = ENDED_JOB_STATUSES.map(
    (status) => `select * from (select ${columns} from ended_jobs x
      where x.queue_id = given.queue_id and x.status = '${status}'
      order by x.completed_at desc, x.id desc limit ${most}) as of_${status}`,
  );
  return each.join(' union all ');
}

/** Parameters: 1 queues, 2 how many of each status */
const lastAttempts = preparedStatement<Row>('last-attempts-of-queues', (dialect) => {
  const pick = (columns: string) => newestOf(dialect.$(2), columns);
  const newest = dialect.joinPicked({ table: 'ended_jobs', as: 'r', columns: COLUMNS, pick });
  const columns = COLUMNS.map((name) => `r.${name} as ${name}`).join(', ');
  return `select ${columns} from ${dialect.rows(QUEUE, 1)} ${newest}`;
});

/** Each queue's last attempts that ended, oldest first. */
export async function readQueueResults(
  db: Database,
  queueIds: readonly string[],
  length: number,
): Promise<Map<string, RunResult[]>> {
  const queues = packRows(
    QUEUE,
    queueIds.map((queue_id) => ({ queue_id })),
  );
  const rows = await db.read((reader) =>
    runPrepared(reader, db.dialect, lastAttempts, [queues, length]),
  );
  const inOrder = rows.toSorted(
    (a, b) => (a.completed_at ?? 0) - (b.completed_at ?? 0) || (a.id < b.id ? -1 : 1),
  );
  const byQueue = Map.groupBy(inOrder, ({ queue_id }) => queue_id);
  return new Map(queueIds.map((id) => [id, (byQueue.get(id) ?? []).slice(-length).map(resultOf)]));
}

function resultOf(row: Row): RunResult {
  return {
    id: row.id,
    status: row.status === 'success' ? 'success' : 'failed',
    completedAt: row.completed_at,
    durationMs: row.duration_ms,
    responseStatus: row.response_status,
  };
}
