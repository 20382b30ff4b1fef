/**
 * Millions of rows, written by the database itself: writing them through the service would take as long as the
 * measurements.
 */
import type { Store } from '#store/store';

/** Few enough to be written within the store's statement limit, even on a busy machine. */
const CHUNK = 20_000;

interface BulkJobs {
  teamId: string;
  /** The jobs are distributed over these queues in turn. */
  queueIds: readonly string[];
  count: number;
  url: string;
  /** Milliseconds since 1970 UTC. */
  firstDueAt: number;
  /** The time between the due times of two rows, in milliseconds. Default: 1. */
  stepMs?: number;
  /** True: the jobs have ended, each with a stored response; of a hundred, four are dead letters and two were retried. */
  isFinished: boolean;
}

type Chunk = Required<BulkJobs>;

export async function insertJobs(store: Store, jobs: BulkJobs): Promise<void> {
  for (let from = 0; from < jobs.count; from += CHUNK) {
    const count = Math.min(CHUNK, jobs.count - from);
    const { stepMs = 1 } = jobs;
    const firstDueAt = jobs.firstDueAt + Math.floor(from * stepMs);
    const chunk = { ...jobs, count, firstDueAt, stepMs };
    const write = store.dialect === 'postgres' ? onPostgres : onSqlite;
    for (const text of write(chunk)) await store.database.autocommit(text);
  }
}

const REQUEST = `team_id, id, original_id, attempt_number, queue_id, status, method, url, created_at,
  scheduled_at, payload`;
const OUTCOME = `started_at, completed_at, response_status, duration_ms, reason, total_bytes, trace, body`;
const PAYLOAD = `'{"hello":"world","n":12345}'`;
/** The response of a finished job, as the service stores it. */
export const STORED_TRACE =
  '{"timing":{"dnsMs":null,"connectMs":null,"tlsMs":null,"waitingMs":3.1,"receivingMs":0.2},"address":"127.0.0.1","responseHeaders":[["Content-Length","2"]]}';
export const STORED_BODY = 'ok';

/** When row `n` is due. */
const dueAt = ({ firstDueAt, stepMs }: Chunk) =>
  `(${firstDueAt} + cast(n * 1.0 * ${stepMs} as bigint))`;

/** Failures are spread over all queues. */
function endsOf(at: string) {
  const kind = 'n / 10 % 100';
  const nth = (dead: string, retried: string, success: string) =>
    `case when ${kind} >= 6 then ${success} when ${kind} >= 4 then ${retried} else ${dead} end`;
  return {
    status: nth("'dead_lettered'", "'retried'", "'success'"),
    ends: [at, at, nth('503', '500', '200'), '4', nth("'timeout'", "'http_server_error'", 'null')],
  };
}

interface Written {
  teamId: string;
  queueId: string;
  body: string;
}

/** The statement that inserts jobs into the table of waiting or of ended ones. */
function insertion(jobs: Chunk, { teamId, queueId, body }: Written): string {
  const at = dueAt(jobs);
  const request = (status: string) =>
    `${teamId}, id, id, 1, ${queueId}, ${status}, 'POST', '${jobs.url}', ${at}, ${at}, ${PAYLOAD}`;
  if (!jobs.isFinished)
    return `insert into jobs (${REQUEST}) select ${request("'pending'")} from ids`;
  const { status, ends } = endsOf(at);
  return `insert into ended_jobs (${REQUEST}, ${OUTCOME})
    select ${request(status)}, ${ends.join(', ')}, 2, '${STORED_TRACE}', ${body} from ids`;
}

function onPostgres(jobs: Chunk): string[] {
  const { count, teamId, queueIds } = jobs;
  const shift = `(${dueAt(jobs)} - ${Date.now()}) * interval '1 millisecond'`;
  const ids = `select uuidv7(${shift}) as id, n from generate_series(0, ${count - 1}) as n`;
  const queues = `('{${queueIds.join()}}'::uuid[])[1 + n % ${queueIds.length}]`;
  const written = { teamId: `'${teamId}'::uuid`, queueId: queues, body: `'${STORED_BODY}'::bytea` };
  return [`with ids as materialized (${ids}) ${insertion(jobs, written)}`];
}

function onSqlite(jobs: Chunk): string[] {
  const { count, teamId, queueIds } = jobs;
  const startOf = (at: string) => {
    const hex = `printf('%012x', ${at})`;
    return `substr(${hex}, 1, 8) || '-' || substr(${hex}, 9, 4) || '-'`;
  };
  const id = `${startOf(dueAt(jobs))} || '7' ||
    substr(lower(hex(randomblob(2))), 1, 3) || '-8' || substr(lower(hex(randomblob(2))), 1, 3) ||
    '-' || lower(hex(randomblob(6)))`;
  const ids = `with recursive numbers(n) as (
    select 0 union all select n + 1 from numbers where n < ${count - 1}
  ), ids as materialized (select ${id} as id, n from numbers)`;
  const queues = `json_extract('${JSON.stringify(queueIds)}', '$[' || (n % ${queueIds.length}) || ']')`;
  const body = `cast('${STORED_BODY}' as blob)`;
  return [`${ids} ${insertion(jobs, { teamId: `'${teamId}'`, queueId: queues, body })}`];
}
