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
import type { EndedExecutionsTable, EndedJobsTable } from '../database/schema.ts';

type Big = (typeof BIG_COLUMNS)[number];
type Outcome = Exclude<(typeof OUTCOME_COLUMNS)[number], 'status'>;

/** A run with all that is kept of it. While it waits or runs, what an end adds is null. */
type Whole<Ended extends Record<Outcome, unknown>, Status> = Omit<Ended, 'status' | Outcome> & {
  [K in Outcome]: Ended[K] | null;
} & { status: Status };

export type WholeJobRow = Whole<EndedJobsTable, JobStatus> & { queue: string };
export type StoredJobRow = Omit<WholeJobRow, Big>;
export type WholeExecutionRow = Whole<EndedExecutionsTable, ExecutionStatus>;
export type StoredExecutionRow = Omit<WholeExecutionRow, Big>;

/** What an end adds, with types that a null needs in a union. */
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

/** Which runs, said of the columns of their table; each of the two answers by its own indexes. */
export interface RunChoice {
  where: RawBuilder<unknown>;
  /** What follows the condition: an order and a limit. */
  tail?: RawBuilder<unknown>;
  /** The condition speaks of an outcome, so that nothing that waits or runs is meant. */
  isOfEnded?: boolean;
  /** Orders what was found in both, which is called `runs`. */
  end?: RawBuilder<unknown>;
  /**
   * Prepares the statement under this name: Postgres plans a look into all partitions once a connection. Its text
   * has to be the same each time.
   */
  name?: string;
}

/** Jobs wherever they are: those that wait or run and those that have ended, with the names of their queues. */
export async function readJobs(reader: Reader, choice: RunChoice): Promise<StoredJobRow[]> {
  return readRows(reader, choice, jobsOf(WHOLE.jobs.filter(isSmall), choice));
}

/** The same with what is big or secret. */
export async function readWholeJobs(reader: Reader, choice: RunChoice): Promise<WholeJobRow[]> {
  return readRows(reader, choice, jobsOf(WHOLE.jobs, choice));
}

/** Executions wherever they are, with their responses. */
export async function readWholeExecutions(
  reader: Reader,
  choice: RunChoice,
): Promise<WholeExecutionRow[]> {
  const runs = chosenRuns('executions', WHOLE.executions, choice);
  return readRows(reader, choice, sql`select runs.* from ${runs} as runs`);
}

/** Executions wherever they are, called `runs`. */
export function everyExecution(reader: Reader, choice: Omit<RunChoice, 'end' | 'name'>) {
  const columns = WHOLE.executions.filter(isSmall);
  const executions = chosenRuns('executions', columns, choice) as RawBuilder<StoredExecutionRow>;
  return reader.selectFrom(executions.as('runs'));
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
  { where, tail = sql``, isOfEnded = false }: RunChoice,
): RawBuilder<unknown> {
  const part = (isEnded: boolean) => {
    const values = columns.map((name) =>
      isEnded || !(name in ADDED) ? `${table}.${name}` : `cast(null as ${ADDED[name]}) as ${name}`,
    );
    const from = isEnded ? `${ENDED_TABLE[table]} as ${table}` : table;
    return sql`select * from (
      select ${sql.raw(values.join(', '))} from ${sql.raw(from)} where ${where} ${tail}
    ) as ${sql.raw(isEnded ? 'ended' : 'live')}`;
  };
  const live = isOfEnded ? sql`` : sql`union all ${part(false)}`;
  return sql`(${part(true)} ${live})`;
}
