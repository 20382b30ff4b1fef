import { acceptProcedure } from './accept-jobs.ts';
import { claimProcedure } from './claim-jobs.ts';
import type { Procedure } from './procedure.ts';
import { settleProcedure } from './settle-jobs.ts';
import { takeCallbacks } from './sqlite/take-callbacks.ts';

/** What the thread of a SQLite database carries out, by name. */
export type Procedures = ReadonlyMap<string, Procedure<never, unknown>>;

export const procedures: Procedures = new Map(
  [acceptProcedure, claimProcedure, settleProcedure, takeCallbacks].map((each) => [
    each.name,
    each,
  ]),
);
