import type { Fields } from './dialect.ts';

/** Where runs are: attempts of jobs and executions of crons. */
export type RunTable = 'jobs' | 'executions';

/** Names one run, or anything else of a team. */
export const KEY = { team_id: 'id', id: 'id' } as const satisfies Fields;

/** The state of a run that is being sent, in each table. */
export const RUNNING = { jobs: 'processing', executions: 'running' } as const;

export const TABLE_OF = { job: 'jobs', execution: 'executions' } as const;

export function ofEachTable<T>(make: (table: RunTable) => T): Readonly<Record<RunTable, T>> {
  return { jobs: make('jobs'), executions: make('executions') };
}
