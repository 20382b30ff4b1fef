/** Rows written straight into the tables, thousands at once: for tests and benchmarks of what lists cost. */
import { newId } from '#domain/base/ids';
import { type Fields, packRows, type RowOf } from '#store/database/dialect';
import type { Store } from '#store/store';

const JOB = {
  team_id: 'id',
  id: 'id',
  original_id: 'id',
  attempt_number: 'int',
  queue_id: 'id',
  status: 'text',
  method: 'text',
  url: 'text',
  created_at: 'bigint',
  scheduled_at: 'bigint',
  started_at: 'bigint',
  completed_at: 'bigint',
  claimed_by: 'id',
  response_status: 'int',
  reason: 'text',
  error_message: 'text',
  duration_ms: 'int',
  retried_as: 'id',
  payload: 'text',
} as const satisfies Fields;

const EXECUTION = {
  team_id: 'id',
  id: 'id',
  cron_id: 'id',
  status: 'text',
  created_at: 'bigint',
  started_at: 'bigint',
  completed_at: 'bigint',
  duration_ms: 'int',
  response_status: 'int',
  reason: 'text',
} as const satisfies Fields;

export type JobFill = Partial<RowOf<typeof JOB>> & { team_id: string; queue_id: string };
export type ExecutionFill = Partial<RowOf<typeof EXECUTION>> & { team_id: string; cron_id: string };

/** The columns that only ended runs have. */
const ENDS = [
  'completed_at',
  'response_status',
  'reason',
  'error_message',
  'duration_ms',
  'retried_as',
];

/** Writes jobs as they are given, pending attempts of now where nothing is said. @returns their ids */
export async function fillJobs(store: Store, jobs: readonly JobFill[]): Promise<string[]> {
  const now = store.clock.now();
  const rows = jobs.map((job) => {
    const id = job.id ?? newId(job.created_at ?? now);
    const usual = {
      id,
      original_id: id,
      attempt_number: 1,
      status: 'pending',
      method: 'POST',
      url: 'http://target.example/hook',
      created_at: job.created_at ?? now,
      scheduled_at: job.created_at ?? now,
    };
    return { ...nothing(JOB), ...usual, ...job };
  });
  const isLive = ({ status }: RowOf<typeof JOB>) => status === 'pending' || status === 'processing';
  await insert(store, 'jobs', only(JOB, ENDS), rows.filter(isLive));
  const ended = rows.filter((row) => !isLive(row));
  await insert(store, 'ended_jobs', only(JOB, ['claimed_by']), ended);
  return rows.flatMap(({ id }) => id ?? []);
}

/** Writes executions, finished now and successful where nothing is said. @returns their ids */
export async function fillExecutions(
  store: Store,
  executions: readonly ExecutionFill[],
): Promise<string[]> {
  const now = store.clock.now();
  const rows = executions.map((run) => {
    const created_at = run.created_at ?? now;
    const usual = { id: newId(created_at), status: 'success', created_at, completed_at: now };
    return { ...nothing(EXECUTION), duration_ms: 10, response_status: 200, ...usual, ...run };
  });
  const isLive = (row: RowOf<typeof EXECUTION>) =>
    row.status === 'pending' || row.status === 'running';
  await insert(store, 'executions', only(EXECUTION, ENDS), rows.filter(isLive));
  await insert(
    store,
    'ended_executions',
    EXECUTION,
    rows.filter((row) => !isLive(row)),
  );
  return rows.flatMap(({ id }) => id ?? []);
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

function only(fields: Fields, without: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !without.includes(name)));
}

function nothing<F extends Fields>(fields: F): RowOf<F> {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, null])) as RowOf<F>;
}

/** Postgres counts the rows at once: by itself it would up to ten seconds later, perhaps after they were analyzed. */
async function insert(
  { database, dialect }: Store,
  table: string,
  fields: Fields,
  given: readonly object[],
): Promise<void> {
  const rows = given as readonly RowOf<Fields>[];
  const names = Object.keys(fields);
  const text = `insert into ${table} (${names.join(', ')})
    select ${names.join(', ')} from ${database.dialect.rows(fields, 1)}`;
  for (let at = 0; at < rows.length; at += 5_000) {
    const parameters = [packRows(fields, rows.slice(at, at + 5_000))];
    await database.transact(async (trx) => {
      await trx.run(text, parameters);
      if (dialect === 'postgres') await trx.run('select pg_stat_force_next_flush()');
    });
  }
}
