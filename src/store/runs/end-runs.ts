import { endRuns as onPostgres } from '../postgres/end-runs.ts';
import { endRuns as onSqlite } from '../sqlite/end-runs.ts';

/** Ends runs and writes everything that follows. Gives the runs that were still the node's to end. */
export const END_RUNS = { postgres: onPostgres, sqlite: onSqlite };
