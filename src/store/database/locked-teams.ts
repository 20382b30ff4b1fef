import type { Trx } from './database.ts';
import { wasLockedOut } from './errors.ts';
import { preparedStatement } from './prepared.ts';

/** Fails soon (`wasLockedOut`) at a locked row. */
export async function limitLockWaits(trx: Trx): Promise<void> {
  await trx.rows(limitWaits, []);
}

const limitWaits = preparedStatement<never>(
  'limit-lock-waits',
  ({ limitLockWaits }) => `select 1 from (select 1 as one) as given ${limitLockWaits}`,
);

/**
 * If a row is locked, the rest of that team's are skipped. @param act one transaction, which begins with
 * `limitLockWaits`
 */
export async function forEachUnlocked<Row extends { team_id: string }>(
  rows: readonly Row[],
  act: (row: Row) => Promise<void>,
  lockedTeams = new Set<string>(),
): Promise<void> {
  for (const row of rows) {
    if (lockedTeams.has(row.team_id)) continue;
    try {
      await act(row);
    } catch (error) {
      if (!wasLockedOut(error)) throw error;
      lockedTeams.add(row.team_id);
    }
  }
}
