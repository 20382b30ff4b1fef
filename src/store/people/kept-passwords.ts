import { newId } from '#domain/ids';
import type { Trx } from '../database/database.ts';

/** For an account that has none: what the auth library finds it by. */
export async function addPassword(
  trx: Trx,
  userId: string,
  passwordHash: string,
  now: number,
): Promise<void> {
  await trx
    .insertInto('accounts')
    .values({
      id: newId(now),
      user_id: userId,
      provider_id: 'credential',
      account_id: userId,
      password: passwordHash,
      access_token: null,
      refresh_token: null,
      id_token: null,
      access_token_expires_at: null,
      refresh_token_expires_at: null,
      scope: null,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

/** Who came by a provider so far has none, and gets one. False: there is no such user. */
export async function setPassword(
  trx: Trx,
  userId: string,
  passwordHash: string,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('accounts')
    .set({ password: passwordHash, updated_at: now })
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  const user = await trx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .executeTakeFirst();
  if (user) await addPassword(trx, userId, passwordHash, now);
  return user !== undefined;
}
