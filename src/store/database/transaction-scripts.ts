import { acceptScript } from '../jobs/accept-jobs.ts';
import { addUpCounts } from '../sqlite/add-up-counts.ts';
import type { TransactionScript } from './transaction-script.ts';
import { claimExecutionsScript } from '../runs/claim-executions.ts';
import { claimJobs } from '../sqlite/claim-jobs.ts';
import { endRuns } from '../sqlite/end-runs.ts';
import { takeCallbacks } from '../sqlite/take-callbacks.ts';

/** The scripts that a SQLite thread can run, by name. */
export type TransactionScripts = ReadonlyMap<string, TransactionScript<never, unknown>>;

export const transactionScripts: TransactionScripts = new Map(
  [acceptScript, addUpCounts, claimExecutionsScript, claimJobs, endRuns, takeCallbacks].map(
    (each) => [each.name, each],
  ),
);
