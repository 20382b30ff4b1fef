/** Rows by the million, written by the database itself: going through the service would take as long as all measuring. */
import { CompiledQuery } from 'kysely';
import type { Store } from '#store/store';

const CHUNK = 50_000;

interface BulkJobs {
  teamId: string;
  queueId: string;
  count: number;
  url: string;
  /** Milliseconds since 1970 UTC; each row is due a millisecond after the one before. */
  firstDueAt: number;
  /** Already ended, with a stored response each. */
  isFinished: boolean;
}

export async function insertJobs(store: Store, jobs: BulkJobs): Promise<void> {
  for (let from = 0; from < jobs.count; from += CHUNK) {
    const count = Math.min(CHUNK, jobs.count - from);
    const chunk = { ...jobs, count, firstDueAt: jobs.firstDueAt + from };
    const write = store.dialect === 'postgres' ? onPostgres : onSqlite;
    for (const text of write(chunk)) await store.database.runAlone(CompiledQuery.raw(text));
  }
}

const COLUMNS = `team_id, id, original_id, attempt_number, queue_id, status, method, url, created_at,
  scheduled_at, payload, started_at, completed_at, response_status, duration_ms`;
const PAYLOAD = `'{"hello":"world","n":12345}'`;
/** The response of a finished job, as the service stores it. */
export const STORED_TRACE =
  '{"timing":{"dnsMs":null,"connectMs":null,"tlsMs":null,"waitingMs":3.1,"receivingMs":0.2},"address":"127.0.0.1","responseHeaders":[["Content-Length","2"]]}';
export const STORED_BODY = 'ok';

function selection({ teamId, queueId, url, isFinished }: BulkJobs, dueAt: string): string {
  const ends = isFinished ? `${dueAt}, ${dueAt}, 200, 4` : 'null, null, null, null';
  const status = isFinished ? 'success' : 'pending';
  return `select '${teamId}', id, id, 1, '${queueId}', '${status}', 'POST', '${url}', ${dueAt},
    ${dueAt}, ${PAYLOAD}, ${ends} from ids`;
}

function onPostgres(jobs: BulkJobs): string[] {
  const ids = `select uuidv7() as id, n from generate_series(0, ${jobs.count - 1}) as n`;
  const rows = selection(jobs, `(${jobs.firstDueAt} + n)`)
    .replace(`select '${jobs.teamId}'`, `select '${jobs.teamId}'::uuid`)
    .replace(`'${jobs.queueId}'`, `'${jobs.queueId}'::uuid`);
  const insert = `with ids as materialized (${ids}), written as (
    insert into jobs (${COLUMNS}) ${rows} returning team_id, id)`;
  if (!jobs.isFinished) return [`${insert} select count(*) from written`];
  return [
    `${insert} insert into responses (team_id, run_id, total_bytes, trace, body)
     select team_id, id, 2, '${STORED_TRACE}', '${STORED_BODY}'::bytea from written`,
  ];
}

function onSqlite(jobs: BulkJobs): string[] {
  const hex = `printf('%012x', ${jobs.firstDueAt} + n)`;
  const id = `substr(${hex}, 1, 8) || '-' || substr(${hex}, 9, 4) || '-7' ||
    substr(lower(hex(randomblob(2))), 1, 3) || '-8' || substr(lower(hex(randomblob(2))), 1, 3) ||
    '-' || lower(hex(randomblob(6)))`;
  const ids = `with recursive numbers(n) as (
    select 0 union all select n + 1 from numbers where n < ${jobs.count - 1}
  ), ids as materialized (select ${id} as id, n from numbers)`;
  const insert = `${ids} insert into jobs (${COLUMNS}) ${selection(jobs, `(${jobs.firstDueAt} + n)`)}`;
  if (!jobs.isFinished) return [insert];
  const until = jobs.firstDueAt + jobs.count;
  return [
    insert,
    `insert into responses (team_id, run_id, total_bytes, trace, body)
     select team_id, id, 2, '${STORED_TRACE}', cast('${STORED_BODY}' as blob) from jobs
     where team_id = '${jobs.teamId}' and queue_id = '${jobs.queueId}'
       and scheduled_at >= ${jobs.firstDueAt} and scheduled_at < ${until} and status = 'success'`,
  ];
}
