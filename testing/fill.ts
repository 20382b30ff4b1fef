/** Rows written straight into the tables, thousands at once: for tests and benchmarks of what lists cost. */
import { CompiledQuery } from 'kysely';
import { newId } from '#domain/ids';
import { type Fields, packRows, type RowOf } from '#store/dialect';
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
  completed_at: 'bigint',
  duration_ms: 'int',
  response_status: 'int',
  reason: 'text',
} as const satisfies Fields;

export type JobFill = Partial<RowOf<typeof JOB>> & { team_id: string; queue_id: string };
export type ExecutionFill = Partial<RowOf<typeof EXECUTION>> & { team_id: string; cron_id: string };

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
  await insert(store, 'jobs', JOB, rows);
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
  await insert(store, 'executions', EXECUTION, rows);
  return rows.flatMap(({ id }) => id ?? []);
}

const RESPONSE = {
  team_id: 'id',
  run_id: 'id',
  total_bytes: 'bigint',
  body: 'text',
} as const satisfies Fields;

/** Writes what is kept of responses. */
export async function fillResponses(
  store: Store,
  responses: readonly { team_id: string; run_id: string; body: string }[],
): Promise<void> {
  const rows = responses.map((each) => ({ total_bytes: Buffer.byteLength(each.body), ...each }));
  const bytes = store.dialect === 'postgres' ? `convert_to(body, 'UTF8')` : 'cast(body as blob)';
  await insert(store, 'responses', RESPONSE, rows, { body: bytes });
}

function nothing<F extends Fields>(fields: F): RowOf<F> {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, null])) as RowOf<F>;
}

async function insert<F extends Fields>(
  { database }: Store,
  table: string,
  fields: F,
  rows: readonly RowOf<F>[],
  expressions: Record<string, string> = {},
): Promise<void> {
  const names = Object.keys(fields);
  const text = `insert into ${table} (${names.join(', ')})
    select ${names.map((name) => expressions[name] ?? name).join(', ')} from ${database.dialect.rows(fields, 1)}`;
  for (let at = 0; at < rows.length; at += 5_000) {
    const parameters = [packRows(fields, rows.slice(at, at + 5_000))];
    await database.runAlone(CompiledQuery.raw(text, parameters));
  }
}
