import type { ScriptByDialect } from '../database/transaction-script.ts';
import type { ClaimInput, Taken } from './claim.ts';
import type { CountedQueue } from './claim-in-steps.ts';
import { claimAtOnce, claimJobs as onPostgres } from './claim-jobs-postgres.ts';
import { claimJobs as onSqlite } from './claim-jobs-sqlite.ts';
import type { Claim, Claimant, ClaimContext, ClaimedJob, GroupSlots } from './claims.ts';
import { type ClaimedJobRow, claimedJobs } from './due-jobs.ts';
import type { SkippedGroups } from './locked-groups.ts';

const IN_STEPS: ScriptByDialect<ClaimInput, Taken<CountedQueue, ClaimedJobRow>> = {
  postgres: onPostgres,
  sqlite: onSqlite,
};

/** On SQLite a statement of a script costs no round trip. */
const AT_ONCE = { postgres: claimAtOnce, sqlite: null };

export async function claimJobs(
  context: ClaimContext,
  skipped: SkippedGroups,
  asked: readonly GroupSlots[],
  claimant: Claimant,
): Promise<Claim<ClaimedJob>> {
  const { db } = context;
  const atOnce = await AT_ONCE[db.dialect.name]?.(context, asked, claimant);
  const left = atOnce ? atOnce.inSteps : asked;
  if (atOnce && left.length === 0) return atOnce.claim;
  const { claimed, blocked, groups } = await skipped.claim(
    left,
    (some) => db.perform(IN_STEPS, { asked: some, ...claimant }),
    (rows, queues) => claimedJobs(rows, queues.values(), context, claimant.now),
  );
  const { claimed: others = [], groups: otherGroups = [] } = atOnce?.claim ?? {};
  return { claimed: [...others, ...claimed], blocked, groups: [...otherGroups, ...groups] };
}
