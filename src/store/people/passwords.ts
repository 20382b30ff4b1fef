import { newId } from '#domain/base/ids';
import type { Trx } from '../database/database.ts';
import { add, change, one, type Reading } from '../database/rows.ts';

/** The provider id of an account with a password; those of sign-in providers begin with `oidc `. */
export const PASSWORD = 'credential';

export async function readPassword(
  db: Reading,
  userId: string,
  lock?: 'for share' | 'for update',
): Promise<string | null> {
  const key = { user_id: userId, provider_id: PASSWORD };
  return (await one(db, 'accounts', key, ['password'], lock))?.password ?? null;
}

/** The account must have none. */
export async function addPassword(
  trx: Trx,
  userId: string,
  password: string,
  now: number,
): Promise<void> {
  const times = { created_at: now, updated_at: now };
  const ids = { id: newId(now), user_id: userId, provider_id: PASSWORD, account_id: userId };
  await add(trx, 'accounts', { ...ids, password, ...times });
}

export async function setPassword(
  trx: Trx,
  userId: string,
  password: string,
  now: number,
): Promise<boolean> {
  const key = { user_id: userId, provider_id: PASSWORD };
  if ((await change(trx, 'accounts', key, { password, updated_at: now })) > 0) return true;
  const user = await one(trx, 'users', { id: userId }, ['id']);
  if (user) await addPassword(trx, userId, password, now);
  return user !== undefined;
}
