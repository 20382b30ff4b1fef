import type { HeaderList, HttpMethod } from '#domain/http/exchange';
import { newId } from '#domain/base/ids';
import { TeamFull } from '#domain/team/team-bounds';
import type { Database, Trx } from '../database/database.ts';
import { type Fields, packRows, type RowOf } from '../database/dialect.ts';
import { sealHeaders } from '../runs/headers.ts';
import { limitLockWaits } from '../database/locked-teams.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { TransactionScript } from '../database/transaction-script.ts';
import { insertMissingQueues } from '../queues/queues.ts';
import { countFree } from '../database/row-bounds.ts';
import type { Sealer } from '../database/seal.ts';

/** A missing queue is made (§2.2). */
export interface NewJob {
  teamId: string;
  queue: string;
  method: HttpMethod;
  url: string;
  headers: HeaderList;
  payload: string | null;
  callbackUrl: string | null;
  delaySeconds: number;
  /** See domain/team/actors.ts. */
  actor: string | null;
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
  actor: 'text',
} as const satisfies Fields;

/**
 * The queue isn't locked: each acceptance would write to it. If it is deleted at the same moment, housekeeping deletes
 * the job.
 */
const insertJobs = preparedStatement<{ id: string; queue_id: string }>(
  'insert-jobs',
  (dialect) => `
  insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
    callback_url, created_at, scheduled_at, actor, sealed_headers, payload)
  select given.team_id, given.id, given.id, 1, q.id, 'pending', given.method, given.url,
    given.callback_url, given.created_at, given.scheduled_at, given.actor, given.sealed_headers,
    given.payload
  from ${dialect.rows(JOB, 1)} cross join queues q
  where q.team_id = given.team_id and q.name = given.queue
  returning id, queue_id`,
);

/**
 * Also makes missing queues. All jobs are durable except those with an error, such as TeamFull; if it rejects, none
 * is.
 * @param mostQueues counted only if one is missing
 * @param now `scheduled_at` is this plus the delay (§2.2)
 */
export async function acceptJobs(
  { db, sealer, mostQueues }: { db: Database; sealer: Sealer; mostQueues: number },
  jobs: readonly NewJob[],
  now: number,
): Promise<(AcceptedJob | Error)[]> {
  const rows = jobs.map((job) => jobRow(job, sealer, now));
  const queueIds = await insertKnown((packed) => db.perform(acceptScript, packed), rows);
  const left = rows.filter((row) => !queueIds.has(row.id));
  // So that no team waits for another's locks.
  const byTeam = [...Map.groupBy(left, ({ team_id }) => team_id ?? '')];
  const faults = new Map<string | null, Error>();
  await Promise.all(
    byTeam.map(async ([teamId, ofTeam]) => {
      try {
        const added = await db.transact((trx) =>
          insertWithQueues(trx, teamId, ofTeam, mostQueues, now),
        );
        for (const [id, queueId] of added) queueIds.set(id, queueId);
      } catch (error) {
        faults.set(teamId, error as Error);
      }
    }),
  );
  const [fault] = faults.values();
  if (queueIds.size === 0 && fault) throw fault;
  return rows.map((row) => {
    const queueId = queueIds.get(row.id);
    if (queueId === undefined) return faults.get(row.team_id) ?? new TeamFull('queues', mostQueues);
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
    actor: job.actor,
  };
}

export const acceptScript: TransactionScript<string, { id: string; queue_id: string }[]> = {
  name: 'accept-jobs',
  isOneStatement: true,
  run: (runner, packed) => runner.rows(insertJobs, [packed]),
};

async function insertKnown(
  insert: (packed: string) => Promise<{ id: string; queue_id: string }[]>,
  rows: readonly InsertedJobRow[],
): Promise<Map<string, string>> {
  const written = await insert(packRows(JOB, rows));
  return new Map(written.map(({ id, queue_id }) => [id, queue_id]));
}

/** As far as the team may have more queues. */
async function insertWithQueues(
  trx: Trx,
  teamId: string,
  rows: readonly InsertedJobRow[],
  mostQueues: number,
  now: number,
): Promise<Map<string, string>> {
  await limitLockWaits(trx);
  const free = await countFree(trx, teamId, 'queues', mostQueues);
  const insert = (packed: string) => trx.rows(insertJobs, [packed]);
  // Others may have made queues since.
  const queueIds = await insertKnown(insert, rows);
  const left = rows.filter((row) => !queueIds.has(row.id));
  const names = new Set(left.map(({ queue }) => queue ?? ''));
  const missing = [...names].slice(0, Math.max(0, free));
  if (missing.length === 0) return queueIds;
  await insertMissingQueues(trx, teamId, missing, now);
  for (const [id, queueId] of await insertKnown(insert, left)) queueIds.set(id, queueId);
  return queueIds;
}
