import type { ExecutionStatus, JobStatus } from '#domain/run-status';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database/database.ts';
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

/** A run with all its columns. While it waits or runs, the columns of its outcome are null. */
type Whole<Ended extends Record<Outcome, unknown>, Status> = Omit<Ended, 'status' | Outcome> & {
  [K in Outcome]: Ended[K] | null;
} & { status: Status };

export type WholeJobRow = Whole<Row<'ended_jobs'>, JobStatus> & { queue: string };
export type StoredJobRow = Omit<WholeJobRow, Big>;
export type WholeExecutionRow = Whole<Row<'ended_executions'>, ExecutionStatus>;
export type StoredExecutionRow = Omit<WholeExecutionRow, Big>;

/** The columns of the outcome, with types that Postgres needs for a null in a union. */
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

/** A selection of runs. The conditions are applied to each of the two tables, so each uses its own indexes. */
export interface RunChoice {
  where: RawBuilder<unknown>;
  /** The part after the condition: an order and a limit. */
  tail?: RawBuilder<unknown>;
  /** True if the condition concerns an outcome, so that only ended runs can match. */
  isOfEnded?: boolean;
  /** Further conditions on ended runs, and on those that wait or run. */
  whereEnded?: RawBuilder<unknown>;
  whereLive?: RawBuilder<unknown>;
  /** The order of the union, which is called `runs`. */
  end?: RawBuilder<unknown>;
  /**
   * Prepares the statement under this name, because Postgres plans a search of all partitions only once per connection.
   * Its text must be the same each time.
   */
  name?: string;
}

export async function readJobs(reader: Reader, choice: RunChoice): Promise<StoredJobRow[]> {
  return readRows(reader, choice, jobsOf(WHOLE.jobs.filter(isSmall), choice));
}

export async function readWholeJobs(reader: Reader, choice: RunChoice): Promise<WholeJobRow[]> {
  return readRows(reader, choice, jobsOf(WHOLE.jobs, choice));
}

/** Reads executions, waiting, running and ended, with their responses. */
export async function readWholeExecutions(
  reader: Reader,
  choice: RunChoice,
): Promise<WholeExecutionRow[]> {
  const runs = chosenRuns('executions', WHOLE.executions, choice);
  return readRows(reader, choice, sql`select runs.* from ${runs} as runs`);
}

/**
 * A table expression of executions, waiting, running and ended, without their bodies.
 *
 * @param bodyBytes  so many of the first bytes of a body as `body_start`, with its length as `kept_bytes`
 */
export function everyExecution(
  choice: Pick<RunChoice, 'where' | 'isOfEnded'>,
  bodyBytes: number | undefined,
): RawBuilder<unknown> {
  const columns = WHOLE.executions.filter((name) => isSmall(name) || name === 'trace');
  const start = bodyBytes === undefined ? [] : startOfBody(bodyBytes);
  return chosenRuns('executions', columns, choice, start);
}

/** A column of ended runs that is computed from those of their table. */
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

function jobsOf(columns: readonly string[], choice: RunChoice): RawBuilder<unknown> {
  return sql`select queues.name as queue, runs.* from ${chosenRuns('jobs', columns, choice)} as runs
    join queues on queues.team_id = runs.team_id and queues.id = runs.queue_id`;
}

async function readRows<Row>(
  reader: Reader,
  { name, end = sql`` }: RunChoice,
  selection: RawBuilder<unknown>,
): Promise<Row[]> {
  const title = sql.raw(name === undefined ? '' : `/* ${name} */ `);
  return (await sql<Row>`${title}${selection} ${end}`.execute(reader)).rows;
}

function chosenRuns(
  table: RunTable,
  columns: readonly string[],
  { where, whereEnded, whereLive, tail = sql``, isOfEnded = false }: RunChoice,
  computed: readonly Computed[] = [],
): RawBuilder<unknown> {
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
