import type { ExecutionStatus, JobStatus } from '#domain/runs/run-status';
import { named, type Sql, sql } from '../database/sql.ts';
import type { Reading } from '../database/rows.ts';
import {
  type BIG_COLUMNS,
  ENDED_TABLE,
  isSmall,
  KEPT_COLUMNS,
  type OUTCOME_COLUMNS,
  type RunTable,
} from './run-tables.ts';
import type { Row } from '../tables/tables.ts';

type Big = (typeof BIG_COLUMNS)[number];
type Outcome = Exclude<(typeof OUTCOME_COLUMNS)[number], 'status'>;

/** Outcome columns are null while it waits or runs. */
type Whole<Ended extends Record<Outcome, unknown>, Status> = Omit<Ended, 'status' | Outcome> & {
  [K in Outcome]: Ended[K] | null;
} & { status: Status };

type WholeJobRow = Whole<Row<'ended_jobs'>, JobStatus> & { queue: string };
export type StoredJobRow = Omit<WholeJobRow, Big>;
export type WholeExecutionRow = Whole<Row<'ended_executions'>, ExecutionStatus>;
export type StoredExecutionRow = Omit<WholeExecutionRow, Big>;

/** Postgres needs types for nulls in a union. */
const ADDED: Readonly<Record<string, string>> = {
  retried_as: 'uuid',
  completed_at: 'bigint',
  response_status: 'integer',
  reason: 'text',
  error_message: 'text',
  duration_ms: 'integer',
  total_bytes: 'bigint',
  trace: 'text',
  body: 'bytea',
} satisfies Record<Outcome | 'retried_as', string>;
const [RETRIED_AS = '', ...OUTCOMES] = Object.keys(ADDED);

const WHOLE: Record<RunTable, readonly string[]> = {
  jobs: [...KEPT_COLUMNS.jobs, 'status', RETRIED_AS, ...OUTCOMES],
  executions: [...KEPT_COLUMNS.executions, 'status', ...OUTCOMES],
};

/** Conditions apply to each table, so each uses its own indexes. */
interface RunChoice {
  where: Sql;
  tail?: Sql;
  /** Only ended runs can match. */
  isOfEnded?: boolean;
  /** Further conditions on ended runs, and on those that wait or run. */
  whereEnded?: Sql;
  whereLive?: Sql;
  /** Of the union `runs`. */
  end?: Sql;
  /** Postgres then plans a search of all partitions once per connection. For few different texts. */
  keepsPlan?: boolean;
}

export async function readJobs(db: Reading, choice: RunChoice): Promise<StoredJobRow[]> {
  return readRows(db, choice, jobsOf(WHOLE.jobs.filter(isSmall), choice));
}

export async function readWholeJobs(db: Reading, choice: RunChoice): Promise<WholeJobRow[]> {
  return readRows(db, choice, jobsOf(WHOLE.jobs, choice));
}

export async function readWholeExecutions(
  db: Reading,
  choice: RunChoice,
): Promise<WholeExecutionRow[]> {
  const runs = chosenRuns('executions', WHOLE.executions, choice);
  return readRows(db, choice, sql`select runs.* from ${runs} as runs`);
}

/** Without bodies. @param bodyBytes the first bytes as `body_start`, with the length as `kept_bytes` */
export function everyExecution(
  choice: Pick<RunChoice, 'where' | 'isOfEnded'>,
  bodyBytes: number | undefined,
): Sql {
  const columns = WHOLE.executions.filter((name) => isSmall(name) || name === 'trace');
  const start = bodyBytes === undefined ? [] : startOfBody(bodyBytes);
  return chosenRuns('executions', columns, choice, start);
}

interface Computed {
  name: string;
  type: string;
  value: string;
}

function startOfBody(bytes: number): Computed[] {
  return [
    { name: 'body_start', type: 'bytea', value: `substr(body, 1, ${bytes})` },
    { name: 'kept_bytes', type: 'integer', value: 'length(body)' },
  ];
}

function jobsOf(columns: readonly string[], choice: RunChoice): Sql {
  return sql`select queues.name as queue, runs.* from ${chosenRuns('jobs', columns, choice)} as runs
    join queues on queues.team_id = runs.team_id and queues.id = runs.queue_id`;
}

async function readRows<Row>(
  db: Reading,
  { keepsPlan = false, end = sql`` }: RunChoice,
  selection: Sql,
): Promise<Row[]> {
  const query = sql<Row>`${selection} ${end}`;
  return db.ask(keepsPlan ? named('read-runs', query) : query);
}

function chosenRuns(
  table: RunTable,
  columns: readonly string[],
  { where, whereEnded, whereLive, tail = sql``, isOfEnded = false }: RunChoice,
  computed: readonly Computed[] = [],
): Sql {
  const part = (isEnded: boolean) => {
    const missing = (name: string, type = 'text') => `cast(null as ${type}) as ${name}`;
    const values = [
      ...columns.map((name) =>
        isEnded || !(name in ADDED) ? `${table}.${name}` : missing(name, ADDED[name]),
      ),
      ...computed.map(({ name, type, value }) =>
        isEnded ? `${value} as ${name}` : missing(name, type),
      ),
    ];
    const from = isEnded ? `${ENDED_TABLE[table]} as ${table}` : table;
    const further = isEnded ? whereEnded : whereLive;
    const more = further ? sql` and ${further}` : sql``;
    return sql`select * from (
      select ${sql.raw(values.join(', '))} from ${sql.raw(from)} where ${where}${more} ${tail}
    ) as ${sql.raw(isEnded ? 'ended' : 'live')}`;
  };
  const live = isOfEnded ? sql`` : sql`union all ${part(false)}`;
  return sql`(${part(true)} ${live})`;
}
