import type { HeaderList, HttpMethod } from '#domain/exchange';
import { newId } from '#domain/ids';
import type { Database, Trx } from '../database/database.ts';
import { type Dialect, type Fields, packRows, type RowOf } from '../database/dialect.ts';
import { sealHeaders } from '../runs/headers.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import type { TransactionScript } from '../database/transaction-script.ts';
import { insertMissingQueues } from '../queues/queues.ts';
import type { Sealer } from '../database/seal.ts';

/** A job as a team asks for it; its queue is named and made on first use (§2.2). */
export interface NewJob {
  teamId: string;
  queue: string;
  method: HttpMethod;
  url: string;
  headers: HeaderList;
  /** JSON text as given, or null. */
  payload: string | null;
  callbackUrl: string | null;
  delaySeconds: number;
}

export interface AcceptedJob {
  queueId: string;
  jobId: string;
  scheduledAt: number;
}

const JOB = {
  team_id: 'id',
  id: 'id',
  queue: 'text',
  method: 'text',
  url: 'text',
  callback_url: 'text',
  created_at: 'bigint',
  scheduled_at: 'bigint',
  sealed_headers: 'text',
  payload: 'text',
} as const satisfies Fields;

/**
 * Gives no row for a job whose queue does not exist. The queue's row is not locked: each acceptance would write to it.
 * If the queue is deleted at the same moment, housekeeping deletes the job like the queue's others.
 */
const insertJobs = preparedStatement<{ id: string; queue_id: string }>(
  'insert-jobs',
  (dialect) => `
  insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
    callback_url, created_at, scheduled_at, sealed_headers, payload)
  select given.team_id, given.id, given.id, 1, q.id, 'pending', given.method, given.url,
    given.callback_url, given.created_at, given.scheduled_at, given.sealed_headers, given.payload
  from ${dialect.rows(JOB, 1)} ${dialect.briefly} cross join queues q
  where q.team_id = given.team_id and q.name = given.queue
  returning id, queue_id`,
);

/**
 * Writes jobs, and makes queues that are named for the first time, with the defaults of §2.3. When it resolves, all
 * jobs are durable except those with an error in their place; when it rejects, none is.
 *
 * @param now  the time of acceptance; a job's `scheduled_at` is that plus its delay (§2.2)
 */
export async function acceptJobs(
  { db, sealer }: { db: Database; sealer: Sealer },
  jobs: readonly NewJob[],
  now: number,
): Promise<(AcceptedJob | Error)[]> {
  const rows = jobs.map((job) => jobRow(job, sealer, now));
  const queueIds = await insertKnown(db, rows);
  const left = rows.filter((row) => !queueIds.has(row.id));
  let fault: Error | null = null;
  if (left.length > 0) {
    try {
      const added = await db.transact(async (trx) => insertWithQueues(trx, db.dialect, left, now));
      for (const [id, queueId] of added) queueIds.set(id, queueId);
    } catch (error) {
      if (queueIds.size === 0) throw error;
      fault = error as Error;
    }
  }
  return rows.map((row) => {
    const queueId = queueIds.get(row.id);
    if (queueId === undefined) return fault ?? new Error('a job was not written');
    return { jobId: row.id, queueId, scheduledAt: row.scheduled_at };
  });
}

type InsertedJobRow = RowOf<typeof JOB> & { id: string; scheduled_at: number };

function jobRow(job: NewJob, sealer: Sealer, now: number): InsertedJobRow {
  return {
    team_id: job.teamId,
    id: newId(now),
    queue: job.queue,
    method: job.method,
    url: job.url,
    callback_url: job.callbackUrl,
    created_at: now,
    scheduled_at: now + job.delaySeconds * 1000,
    sealed_headers: sealHeaders(sealer, 'jobs', job.teamId, job.headers),
    payload: job.payload,
  };
}

/** Inserts jobs into existing queues, and gives the ids of the written jobs and of their queues. */
export const acceptScript: TransactionScript<string, { id: string; queue_id: string }[]> = {
  name: 'accept-jobs',
  isOneStatement: true,
  run: (runner, dialect, packed) => runPrepared(runner, dialect, insertJobs, [packed]),
};

/**
 * Inserts jobs into existing queues: one statement, which is a transaction by itself. Nearly every job takes this way.
 */
async function insertKnown(
  db: Database,
  rows: readonly InsertedJobRow[],
): Promise<Map<string, string>> {
  const packed = packRows(JOB, rows);
  const written = await db.perform(acceptScript, packed);
  return new Map(written.map(({ id, queue_id }) => [id, queue_id]));
}

async function insertWithQueues(
  trx: Trx,
  dialect: Dialect,
  rows: readonly InsertedJobRow[],
  now: number,
): Promise<Map<string, string>> {
  const queueIds = new Map<string, string>();
  let left = rows;
  while (left.length > 0) {
    const written = await runPrepared(trx, dialect, insertJobs, [packRows(JOB, left)]);
    for (const { id, queue_id } of written) queueIds.set(id, queue_id);
    left = left.filter((row) => !queueIds.has(row.id));
    if (left.length > 0) {
      await insertMissingQueues(
        trx,
        left.map((row) => ({ teamId: row.team_id ?? '', name: row.queue ?? '' })),
        now,
      );
    }
  }
  return queueIds;
}
