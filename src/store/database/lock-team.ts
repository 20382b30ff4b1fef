import type { Trx } from './database.ts';
import { one } from './rows.ts';

/** So the rows that the caller counts don't change (§8). Claims and settlements don't wait. */
export async function lockTeam(trx: Trx, teamId: string): Promise<void> {
  await one(trx, 'teams', { id: teamId }, ['id'], 'for no key update');
}
