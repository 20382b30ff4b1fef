import type { Trx } from '../database/database.ts';
import { remove } from '../database/rows.ts';

/** Ends sessions, one-time tokens and optionally the API token, so that an intruder keeps nothing. */
export async function endAccess(
  trx: Trx,
  userId: string,
  { revokesToken }: { revokesToken: boolean },
): Promise<void> {
  await remove(trx, 'sessions', { user_id: userId });
  await dropOneTimeTokens(trx, userId);
  if (revokesToken) await remove(trx, 'api_tokens', { user_id: userId });
}

/** Also a second factor that is not confirmed. */
export async function dropOneTimeTokens(trx: Trx, userId: string): Promise<void> {
  await remove(trx, 'one_time_tokens', { whom: userId });
  await remove(trx, 'two_factors', { user_id: userId, verified: 0 });
}
