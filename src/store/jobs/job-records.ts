import type { HeaderList } from '#domain/exchange';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import {
  type NewestAsked,
  newestRuns,
  type StoredJobRow,
  readJobs,
  readWholeJobs,
} from '../runs/every-run.ts';
import { responseOf, type RunRecord, runRecord, type StoredResponse } from '../runs/run-records.ts';
import type { JobStatus } from '#domain/run-status';
import type { Row } from '../tables/tables.ts';
import type { Sealer } from '../database/seal.ts';
import { PartsReader } from '../runs/stored-parts.ts';

/** A job record (§2.5) without large or secret parts. */
export interface JobRecord extends RunRecord<JobStatus> {
  originalId: string;
  attemptNumber: number;
  queueId: string;
  queue: string;
  method: Row<'jobs'>['method'];
  url: string;
  callbackUrl: string | null;
  scheduledAt: number;
  retriedAs: string | null;
}

/** A job record with its request and the stored part of the response. */
export interface JobDetail extends JobRecord {
  /** Empty where they can't be opened any more. */
  headers: HeaderList;
  /** Says that they can't be opened; null while they can. */
  unreadable: string | null;
  /** JSON text as given, or null. */
  payload: string | null;
  response: StoredResponse | null;
}

export function jobRecord(row: StoredJobRow): JobRecord {
  return {
    ...runRecord(row),
    originalId: row.original_id,
    attemptNumber: row.attempt_number,
    queueId: row.queue_id,
    queue: row.queue,
    method: row.method,
    url: row.url,
    callbackUrl: row.callback_url,
    scheduledAt: row.scheduled_at,
    retriedAs: row.retried_as,
  };
}

export interface JobFilter extends NewestAsked {
  queueId?: string;
  status?: JobStatus;
}

/** A team's jobs, newest first. */
export async function listJobs(
  db: Database,
  teamId: string,
  { queueId, status, ...page }: JobFilter,
): Promise<JobRecord[]> {
  const conditions = [
    sql`team_id = ${teamId}`,
    ...(queueId === undefined ? [] : [sql`queue_id = ${queueId}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
  ];
  const newest = newestRuns(sql.join(conditions, sql` and `), page);
  const rows = await db.read((reader) => readJobs(reader, newest));
  return rows.map(jobRecord);
}

/** One job with all its parts. Null: the team has no such job. */
export async function findJob(
  { db, sealer }: { db: Database; sealer: Sealer },
  teamId: string,
  jobId: string,
): Promise<JobDetail | null> {
  const where = sql`jobs.team_id = ${teamId} and jobs.id = ${jobId}`;
  const [row] = await db.read((reader) => readWholeJobs(reader, { name: 'find-job', where }));
  if (!row) return null;
  const reader = new PartsReader();
  return {
    ...jobRecord(row),
    headers: reader.readHeaders(sealer, 'jobs', row.sealed_headers),
    unreadable: reader.unreadable,
    payload: row.payload,
    response: responseOf(row),
  };
}

/**
 * The team of a job. Only for the operator's command line, which knows only the job's id; every request of a user names
 * the team.
 */
export async function findTeamOfJob(db: Database, jobId: string): Promise<string | null> {
  const { rows } = await db.read((reader) =>
    sql<{ id: string }>`
    select teams.id from teams where exists (
      select 1 from jobs where jobs.team_id = teams.id and jobs.id = ${jobId})
    union all select teams.id from teams where exists (
      select 1 from ended_jobs where ended_jobs.team_id = teams.id and ended_jobs.id = ${jobId})
    `.execute(reader),
  );
  return rows[0]?.id ?? null;
}

/** The failed job whose Retry by a person made this one; null for none. */
export async function findRetryOf(
  db: Database,
  teamId: string,
  jobId: string,
): Promise<string | null> {
  // The team is checked afterwards, for the reason given at `findRetries`.
  const { rows } = await db.read((reader) =>
    sql<{ team_id: string; id: string }>`/* find-retry-of */
    select team_id, id from ended_jobs
    where retried_as = ${jobId} and retried_as is not null`.execute(reader),
  );
  return rows.find((row) => row.team_id === teamId)?.id ?? null;
}

/**
 * The ids of the attempts after the first of some jobs. The caller checks the team: with a condition on the team
 * SQLite, which has no statistics, would read all of the team's jobs.
 */
export async function findRetries(db: Database, originalIds: readonly string[]): Promise<string[]> {
  const isRetry = db.dialect.isAmong('original_id', originalIds);
  const { rows } = await db.read((reader) =>
    sql<{ id: string }>`/* find-retries */
    select id from ended_jobs where ${isRetry} and attempt_number > 1
    union all select id from jobs where ${isRetry} and attempt_number > 1`.execute(reader),
  );
  return rows.map(({ id }) => id);
}

/** All attempts of a job, first to last. */
export async function listAttempts(
  db: Database,
  teamId: string,
  originalId: string,
): Promise<JobRecord[]> {
  const ids = [originalId, ...(await findRetries(db, [originalId]))];
  const where = sql`jobs.team_id = ${teamId} and ${db.dialect.isAmong('jobs.id', ids)}`;
  const end = sql`order by runs.attempt_number`;
  const rows = await db.read((reader) => readJobs(reader, { name: 'read-attempts', where, end }));
  return rows.map(jobRecord);
}

/**
 * The sizes of the payloads of a team's waiting jobs, added up queue by queue, which is by the index of waiting jobs. It
 * reads each of the jobs, so ask seldom.
 */
export async function measureWaitingPayloads(db: Database, teamId: string): Promise<number> {
  const { rows } = await db.read((reader) =>
    sql<{ bytes: number | null }>`/* measure-waiting-payloads */
    select cast(sum((select sum(octet_length(j.payload)) from jobs j
      where j.queue_id = q.id and j.status = 'pending')) as bigint) as bytes
    from queues q where q.team_id = ${teamId}`.execute(reader),
  );
  return rows[0]?.bytes ?? 0;
}

/** How many ids one statement takes: each is a bound value, and databases limit their number. */
const IDS_AT_ONCE = 500;

/** The stored parts of the response bodies of several runs, by run; runs without a response are left out. */
export async function readBodies(
  db: Database,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const bodies = new Map<string, Uint8Array>();
  for (let at = 0; at < runIds.length; at += IDS_AT_ONCE) {
    const some = runIds.slice(at, at + IDS_AT_ONCE);
    for (const table of ['ended_jobs', 'ended_executions'] as const) {
      const rows = await db.read((reader) =>
        reader
          .selectFrom(table)
          .select(['id', 'body'])
          .where('team_id', '=', teamId)
          .where(db.dialect.isAmong('id', some))
          .execute(),
      );
      for (const { id, body } of rows) if (body !== null) bodies.set(id, body);
    }
  }
  return bodies;
}
