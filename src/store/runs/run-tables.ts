import { fieldsOf, namesOf } from '../tables/table.ts';
import { endedExecutions, executions, jobs } from '../tables/work.ts';
import type { Fields } from '../database/dialect.ts';

/** The tables of waiting and running runs: attempts of jobs and executions of crons. */
export type RunTable = 'jobs' | 'executions';

/** The key of a run, or of another row of a team. */
export const KEY = { team_id: 'id', id: 'id' } as const satisfies Fields;

/** The state of a run that is being sent, in each table. */
export const RUNNING = { jobs: 'processing', executions: 'running' } as const;

/** The column with a run's queue or cron. */
export const SOURCE_COLUMN = { jobs: 'queue_id', executions: 'cron_id' } as const;

export const TABLE_OF = { job: 'jobs', execution: 'executions' } as const;

/** The tables of ended runs. */
export const ENDED_TABLE = { jobs: 'ended_jobs', executions: 'ended_executions' } as const;
export type EndedTable = (typeof ENDED_TABLE)[RunTable];

/** The columns that a run keeps when it ends; the others are its outcome. */
export const KEPT_COLUMNS = {
  jobs: namesOf(jobs.columns, 'status', 'claimed_by'),
  executions: namesOf(executions.columns, 'status', 'claimed_by'),
} as const;

/** The columns of the outcome, which only the tables of ended runs have. */
export const OUTCOME = fieldsOf(endedExecutions.columns, ...KEPT_COLUMNS.executions);

/** The key and outcome of a run for a settlement, the step of its duration, and the position of its row, if known. */
export const ENDED = {
  ...KEY,
  ...OUTCOME,
  duration_step: 'int',
  place: 'place',
} as const satisfies Fields;

export const OUTCOME_COLUMNS = Object.keys(OUTCOME) as (keyof typeof OUTCOME)[];

/** The large or secret columns of a run. */
export const BIG_COLUMNS = ['sealed_headers', 'payload', 'total_bytes', 'trace', 'body'] as const;

/** Whether a column is neither large nor secret. */
export const isSmall = (name: string) => !(BIG_COLUMNS as readonly string[]).includes(name);

/** The columns of an ended execution without its response. */
export const SMALL_EXECUTION_COLUMNS: readonly string[] = [
  ...KEPT_COLUMNS.executions,
  ...OUTCOME_COLUMNS.filter(isSmall),
];

export function ofEachTable<T>(make: (table: RunTable) => T): Readonly<Record<RunTable, T>> {
  return { jobs: make('jobs'), executions: make('executions') };
}
