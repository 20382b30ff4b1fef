import { acceptProcedure } from '../jobs/accept-jobs.ts';
import type { Procedure } from './procedure.ts';
import { claimJobs } from '../sqlite/claim-jobs.ts';
import { endRuns } from '../sqlite/end-runs.ts';
import { takeCallbacks } from '../sqlite/take-callbacks.ts';

/** What the thread of a SQLite database carries out, by name. */
export type Procedures = ReadonlyMap<string, Procedure<never, unknown>>;

export const procedures: Procedures = new Map(
  [acceptProcedure, claimJobs, endRuns, takeCallbacks].map((each) => [each.name, each]),
);
