/** Rows written straight into the tables, thousands at once: for tests and benchmarks of what lists cost. */
import { newId } from '#domain/base/ids';
import { type Fields, packRows, type RowOf } from '#store/database/dialect';
import type { Store } from '#store/store';
import { fieldsOf } from '#store/tables/table';
import { endedExecutions, endedJobs, executions, jobs } from '#store/tables/work';

/** `fillResponses` writes the others. */
const NO_RESPONSE = ['total_bytes', 'trace', 'body'] as const;
const FIELDS = {
  jobs: fieldsOf(jobs.columns),
  executions: fieldsOf(executions.columns),
  ended_jobs: fieldsOf(endedJobs.columns, ...NO_RESPONSE),
  ended_executions: fieldsOf(endedExecutions.columns, ...NO_RESPONSE),
};
type Row<Live extends keyof typeof FIELDS, Ended extends keyof typeof FIELDS> = Partial<
  RowOf<(typeof FIELDS)[Live]> & RowOf<(typeof FIELDS)[Ended]>
>;

export type JobFill = Row<'jobs', 'ended_jobs'> & { team_id: string; queue_id: string };
export type ExecutionFill = Row<'executions', 'ended_executions'> & {
  team_id: string;
  cron_id: string;
};

const LIVE: ReadonlySet<unknown> = new Set(['pending', 'processing', 'running']);

/** Writes jobs as they are given, pending attempts of now where nothing is said. @returns their ids */
export function fillJobs(store: Store, given: readonly JobFill[]): Promise<string[]> {
  const now = store.clock.now();
  const rows = given.map((job) => {
    const created_at = job.created_at ?? now;
    const id = job.id ?? newId(created_at);
    const attempt = { id, original_id: id, attempt_number: 1, status: 'pending' };
    const request = { method: 'POST', url: 'http://target.example/hook' };
    return { ...attempt, ...request, created_at, scheduled_at: created_at, ...job };
  });
  return insertBoth(store, 'jobs', 'ended_jobs', rows);
}

/** Writes executions, finished now and successful where nothing is said. @returns their ids */
export function fillExecutions(store: Store, given: readonly ExecutionFill[]): Promise<string[]> {
  const now = store.clock.now();
  const rows = given.map((run) => {
    const created_at = run.created_at ?? now;
    const outcome = { status: 'success', completed_at: now, duration_ms: 10, response_status: 200 };
    return { id: newId(created_at), created_at, ...outcome, ...run };
  });
  return insertBoth(store, 'executions', 'ended_executions', rows);
}

const RESPONSE = {
  team_id: 'id',
  run_id: 'id',
  total_bytes: 'bigint',
  body: 'text',
} as const satisfies Fields;

/** Writes the responses of ended runs. */
export async function fillResponses(
  store: Store,
  responses: readonly { team_id: string; run_id: string; body: string }[],
): Promise<void> {
  const rows = responses.map((each) => ({ total_bytes: Buffer.byteLength(each.body), ...each }));
  const bytes = store.dialect === 'postgres' ? `convert_to(body, 'UTF8')` : 'cast(body as blob)';
  for (const table of ['ended_jobs', 'ended_executions']) {
    const text = `update ${table} set total_bytes = given.total_bytes, body = given.bytes
      from (select team_id, run_id, total_bytes, ${bytes} as bytes
        from ${store.database.dialect.rows(RESPONSE, 1)}) as given
      where ${table}.team_id = given.team_id and ${table}.id = given.run_id`;
    for (let at = 0; at < rows.length; at += 5_000) {
      const parameters = [packRows(RESPONSE, rows.slice(at, at + 5_000))];
      await store.database.autocommit(text, parameters);
    }
  }
}

async function insertBoth(
  store: Store,
  live: 'jobs' | 'executions',
  ended: 'ended_jobs' | 'ended_executions',
  rows: readonly { id?: string | null; status?: unknown }[],
): Promise<string[]> {
  await insert(
    store,
    live,
    rows.filter(({ status }) => LIVE.has(status)),
  );
  await insert(
    store,
    ended,
    rows.filter(({ status }) => !LIVE.has(status)),
  );
  return rows.flatMap(({ id }) => id ?? []);
}

/** Postgres counts the rows at once: by itself it would up to ten seconds later, perhaps after they were analyzed. */
async function insert(
  { database, dialect }: Store,
  table: keyof typeof FIELDS,
  given: readonly object[],
): Promise<void> {
  const rows = given as readonly RowOf<Fields>[];
  const fields: Fields = FIELDS[table];
  const names = Object.keys(fields).join(', ');
  const text = `insert into ${table} (${names}) select ${names} from ${database.dialect.rows(fields, 1)}`;
  for (let at = 0; at < rows.length; at += 5_000) {
    const parameters = [packRows(fields, rows.slice(at, at + 5_000))];
    await database.transact(async (trx) => {
      await trx.run(text, parameters);
      if (dialect === 'postgres') await trx.run('select pg_stat_force_next_flush()');
    });
  }
}
