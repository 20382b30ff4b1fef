import type { HeaderList } from '#domain/http/exchange';
import type { Database } from '../database/database.ts';
import { all } from '../database/rows.ts';
import { preparedStatement } from '../database/prepared.ts';
import { type StoredJobRow, readJobs, readWholeJobs } from '../runs/every-run.ts';
import { type ResponseRecord, responseOf, RUN_COLUMNS } from '../runs/run-records.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import type { JobStatus } from '#domain/runs/run-status';
import type { Sealer } from '../database/seal.ts';
import { PartsReader } from '../runs/stored-parts.ts';
import { LAST_ID } from '#domain/base/ids';
import { sql } from '../database/sql.ts';

const RECORD_COLUMNS = [
  ...RUN_COLUMNS,
  'original_id',
  'attempt_number',
  'queue_id',
  'queue',
  'method',
  'url',
  'callback_url',
  'scheduled_at',
  'retried_as',
] as const;

/** §2.5, without large or secret parts. */
export type JobRecord = RecordOf<Pick<StoredJobRow, (typeof RECORD_COLUMNS)[number]>>;

export interface JobDetail extends JobRecord {
  /** Empty if they can't be decrypted. */
  headers: HeaderList;
  /** Null if they can be decrypted. */
  unreadable: string | null;
  payload: string | null;
  response: ResponseRecord | null;
}

export function jobRecord(row: StoredJobRow): JobRecord {
  return toRecord(row, RECORD_COLUMNS);
}

export interface JobFilter {
  queueId?: string;
  status?: JobStatus;
  limit: number;
  /** Only jobs older than this id. */
  before?: string | undefined;
}

const EXAMINED_AT_ONCE = 500;

/** $1 team, $2 before this id, $3 limit */
const findNewest = preparedStatement<{ id: string }>('find-newest-jobs', ({ $ }) => {
  const newest = (table: string) => `select * from (select id from ${table}
      where team_id = ${$(1)} and id < ${$(2)} order by id desc limit ${$(3)}) as ${table}_of_team`;
  return `select id from (${newest('jobs')} union all ${newest('ended_jobs')}) as jobs_of_team
    order by id desc limit ${$(3)}`;
});

/** Newest first. No index has this order for a queue or state, so jobs are examined in steps until enough are found. */
export async function listJobs(
  db: Database,
  teamId: string,
  { queueId, status, limit, before = LAST_ID }: JobFilter,
): Promise<JobRecord[]> {
  const isFiltered = queueId !== undefined || status !== undefined;
  const atOnce = Math.min(EXAMINED_AT_ONCE, isFiltered ? EXAMINED_AT_ONCE : limit);
  const jobs: JobRecord[] = [];
  for (let from = before; ;) {
    const found = await db.read(findNewest, [teamId, from, atOnce]);
    const ids = found.map(({ id }) => id);
    for (const job of await readJobsById(db, teamId, ids)) {
      const isWanted =
        job.queueId === (queueId ?? job.queueId) && job.status === (status ?? job.status);
      if (isWanted) jobs.push(job);
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < atOnce || jobs.length >= limit)
      return jobs.slice(0, limit);
    from = last;
  }
}

async function readJobsById(
  db: Database,
  teamId: string,
  ids: readonly string[],
): Promise<JobRecord[]> {
  const where = sql`jobs.team_id = ${teamId} and ${db.dialect.isAmong('jobs.id', ids)}`;
  const end = sql`order by runs.id desc`;
  const rows = await readJobs(db, { keepsPlan: true, where, end });
  return rows.map(jobRecord);
}

export async function findJob(
  { db, sealer }: { db: Database; sealer: Sealer },
  teamId: string,
  jobId: string,
): Promise<JobDetail | null> {
  const where = sql`jobs.team_id = ${teamId} and jobs.id = ${jobId}`;
  const [row] = await readWholeJobs(db, { keepsPlan: true, where });
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

/** For the command line, which has only the id. */
export async function findTeamOfJob(db: Database, jobId: string): Promise<string | null> {
  return (await findTeamWith(db, 'jobs', jobId)) ?? findTeamWith(db, 'ended_jobs', jobId);
}

/** Tables have a key of two columns, and no index by id alone. */
export async function findTeamWith(
  db: Database,
  table: 'jobs' | 'ended_jobs' | 'crons',
  id: string,
): Promise<string | null> {
  const [team] = await db.ask(sql<{ id: string }>`
    select t.id from teams t where exists (
      select 1 from ${sql.raw(table)} x where x.team_id = t.id and x.id = ${id})`);
  return team?.id ?? null;
}

export async function findRetryOf(
  db: Database,
  teamId: string,
  jobId: string,
): Promise<string | null> {
  // The team is checked afterwards: see `findRetries`.
  const rows = await db.read(findRetriedJob, [jobId]);
  return rows.find((row) => row.team_id === teamId)?.id ?? null;
}

const findRetriedJob = preparedStatement<{ team_id: string; id: string }>(
  'find-retry-of',
  ({ $ }) => `
  select team_id, id from ended_jobs where retried_as = ${$(1)} and retried_as is not null`,
);

/** The caller checks the team: with that condition SQLite would read all of the team's jobs. */
export async function findRetries(db: Database, originalIds: readonly string[]): Promise<string[]> {
  const isRetry = db.dialect.isAmong('original_id', originalIds);
  const rows = await db.ask(sql<{ id: string }>`/* find-retries */
    select id from ended_jobs where ${isRetry} and attempt_number > 1
    union all select id from jobs where ${isRetry} and attempt_number > 1`);
  return rows.map(({ id }) => id);
}

/** First to last. */
export async function listAttempts(
  db: Database,
  teamId: string,
  originalId: string,
): Promise<JobRecord[]> {
  const ids = [originalId, ...(await findRetries(db, [originalId]))];
  const where = sql`jobs.team_id = ${teamId} and ${db.dialect.isAmong('jobs.id', ids)}`;
  const end = sql`order by runs.attempt_number`;
  const rows = await readJobs(db, { keepsPlan: true, where, end });
  return rows.map(jobRecord);
}

/** Reads each waiting job, so call it rarely. */
export async function measureWaitingPayloads(db: Database, teamId: string): Promise<number> {
  const [row] = await db.read(measurePayloads, [teamId]);
  return row?.bytes ?? 0;
}

const measurePayloads = preparedStatement<{ bytes: number | null }>(
  'measure-waiting-payloads',
  ({ $ }) => `
  select cast(sum((select sum(octet_length(j.payload)) from jobs j
    where j.queue_id = q.id and j.status = 'pending')) as bigint) as bytes
  from queues q where q.team_id = ${$(1)}`,
);

/** Runs without a response are left out. */
export async function readTraces(
  db: Database,
  teamId: string,
  jobIds: readonly string[],
): Promise<Map<string, { url: string; trace: string }>> {
  const choice = choiceOf(db, jobIds, 'url', 'trace');
  const rows = await all(db, 'ended_jobs', { team_id: teamId }, choice);
  return new Map(
    rows.flatMap(({ id, url, trace }) => (trace === null ? [] : [[id, { url, trace }] as const])),
  );
}

/** Runs without a response are left out. */
export async function readBodies(
  db: Database,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const choice = choiceOf(db, runIds, 'body');
  const jobs = await all(db, 'ended_jobs', { team_id: teamId }, choice);
  const executions = await all(db, 'ended_executions', { team_id: teamId }, choice);
  const rows = [...jobs, ...executions];
  return new Map(rows.flatMap(({ id, body }) => (body === null ? [] : [[id, body] as const])));
}

/** A list shows nothing of larger payloads, so a page stays cheap. */
const MOST_PAYLOAD_BYTES = 16_384;
const HAS_SMALL_PAYLOAD = sql`octet_length(payload) <= ${MOST_PAYLOAD_BYTES}`;

/** Larger ones are left out; neither database reads them for it. */
export async function readSmallPayloads(
  db: Database,
  teamId: string,
  jobIds: readonly string[],
): Promise<Map<string, string>> {
  const { where, columns } = choiceOf(db, jobIds, 'payload');
  const choice = { columns, where: [...where, HAS_SMALL_PAYLOAD] };
  const rows = await Promise.all([
    all(db, 'jobs', { team_id: teamId }, choice),
    all(db, 'ended_jobs', { team_id: teamId }, choice),
  ]);
  return new Map(rows.flat().map(({ id, payload }) => [id, payload ?? '']));
}

function choiceOf<C extends string>(
  { dialect }: Database,
  ids: readonly string[],
  ...columns: readonly C[]
) {
  return { columns: ['id', ...columns] as const, where: [dialect.isAmong('id', ids)] };
}
