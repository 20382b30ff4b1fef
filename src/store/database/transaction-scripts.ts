import { acceptScript } from '../jobs/accept-jobs.ts';
import { addUpCounts } from '../figures/add-up-counts.ts';
import type { TransactionScript } from './transaction-script.ts';
import { claimExecutionsScript } from '../runs/claim-executions.ts';
import { claimJobs } from '../runs/claim-jobs-sqlite.ts';
import { endRuns } from '../runs/end-runs-sqlite.ts';

type TransactionScripts = ReadonlyMap<string, TransactionScript<never, unknown>>;

export const transactionScripts: TransactionScripts = new Map(
  [acceptScript, addUpCounts, claimExecutionsScript, claimJobs, endRuns].map((each) => [
    each.name,
    each,
  ]),
);
