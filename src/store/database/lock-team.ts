import type { Trx } from './database.ts';
import { one } from './rows.ts';

/**
 * Locks the team's row until the end of the transaction, so that no other transaction changes the rows that the caller
 * counts or compares (§8). Claims, acceptances and settlements only read the row and don't wait. SQLite has one writer
 * and needs no lock.
 */
export async function lockTeam(trx: Trx, teamId: string): Promise<void> {
  await one(trx, 'teams', { id: teamId }, ['id'], 'for no key update');
}
