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
import type {
  EndedExecutionsTable,
  EndedJobsTable,
  ExecutionStatus,
  JobStatus,
} from '../database/schema.ts';

type Big = (typeof BIG_COLUMNS)[number];
type Outcome = Exclude<(typeof OUTCOME_COLUMNS)[number], 'status'>;

/** A run with all that is kept of it. While it waits or runs, what an end adds is null. */
type Whole<Ended extends Record<Outcome, unknown>, Status> = Omit<Ended, 'status' | Outcome> & {
  [K in Outcome]: Ended[K] | null;
} & { status: Status };

export type WholeJobRow = Whole<EndedJobsTable, JobStatus> & { queue: string };
export type JobRow = Omit<WholeJobRow, Big>;
export type WholeExecutionRow = Whole<EndedExecutionsTable, ExecutionStatus>;
export type ExecutionRow = Omit<WholeExecutionRow, Big>;

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
}

/** Jobs wherever they are, called `runs`: those that wait or run and those that have ended, with the names of their queues. */
export function everyJob(reader: Reader, choice: RunChoice) {
  const columns = WHOLE.jobs.filter(isSmall);
  return withQueue<Omit<JobRow, 'queue'>>(reader, chosenRuns('jobs', columns, choice));
}

/** The same with what is big or secret. */
export function everyWholeJob(reader: Reader, choice: RunChoice) {
  return withQueue<Omit<WholeJobRow, 'queue'>>(reader, chosenRuns('jobs', WHOLE.jobs, choice));
}

/** Executions wherever they are, called `runs`. */
export function everyExecution(reader: Reader, choice: RunChoice) {
  const columns = WHOLE.executions.filter(isSmall);
  const executions = chosenRuns('executions', columns, choice) as RawBuilder<ExecutionRow>;
  return reader.selectFrom(executions.as('runs'));
}

/** The same with their responses. */
export function everyWholeExecution(reader: Reader, choice: RunChoice) {
  const executions = chosenRuns('executions', WHOLE.executions, choice);
  return reader.selectFrom((executions as RawBuilder<WholeExecutionRow>).as('runs'));
}

function withQueue<Row extends { team_id: string; queue_id: string }>(
  reader: Reader,
  jobs: RawBuilder<unknown>,
) {
  return reader
    .selectFrom((jobs as RawBuilder<Row>).as('runs'))
    .innerJoin('queues', (join) =>
      join.on(sql<boolean>`queues.team_id = runs.team_id and queues.id = runs.queue_id`),
    )
    .select([sql.raw<string>('queues.name').as('queue')])
    .selectAll('runs')
    .$castTo<Row & { queue: string }>();
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
