import { fieldsOf, namesOf } from '../tables/table.ts';
import { endedExecutions, executions, jobs } from '../tables/work.ts';
import type { Fields } from '../database/dialect.ts';

/** Waiting and running runs. */
export type RunTable = 'jobs' | 'executions';

export const KEY = { team_id: 'id', id: 'id' } as const satisfies Fields;

export const RUNNING = { jobs: 'processing', executions: 'running' } as const;

export const SOURCE_COLUMN = { jobs: 'queue_id', executions: 'cron_id' } as const;

export const TABLE_OF = { job: 'jobs', execution: 'executions' } as const;

export const ENDED_TABLE = { jobs: 'ended_jobs', executions: 'ended_executions' } as const;
export type EndedTable = (typeof ENDED_TABLE)[RunTable];

/** The others are the outcome. */
export const KEPT_COLUMNS = {
  jobs: namesOf(jobs.columns, 'status', 'claimed_by'),
  executions: namesOf(executions.columns, 'status', 'claimed_by'),
} as const;

/** Only the tables of ended runs have them. */
export const OUTCOME = fieldsOf(endedExecutions.columns, ...KEPT_COLUMNS.executions);

/** With the step of its duration and its row's position, if known. */
export const ENDED = {
  ...KEY,
  ...OUTCOME,
  duration_step: 'int',
  place: 'place',
} as const satisfies Fields;

export const OUTCOME_COLUMNS = Object.keys(OUTCOME) as (keyof typeof OUTCOME)[];

export const BIG_COLUMNS = ['sealed_headers', 'payload', 'total_bytes', 'trace', 'body'] as const;

export const isSmall = (name: string) => !(BIG_COLUMNS as readonly string[]).includes(name);

export const SMALL_EXECUTION_COLUMNS: readonly string[] = [
  ...KEPT_COLUMNS.executions,
  ...OUTCOME_COLUMNS.filter(isSmall),
];

export function ofEachTable<T>(make: (table: RunTable) => T): Readonly<Record<RunTable, T>> {
  return { jobs: make('jobs'), executions: make('executions') };
}

export const TEAM_SLOTS = { team_id: 'id', slots: 'int' } as const satisfies Fields;

export interface TeamSlots {
  team_id: string;
  slots: number;
}
