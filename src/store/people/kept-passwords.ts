import { newId } from '#domain/ids';
import type { Trx } from '../database/database.ts';
import { add, change, one } from '../database/rows.ts';

/** Adds the password of an account that has none. */
export async function addPassword(
  trx: Trx,
  userId: string,
  passwordHash: string,
  now: number,
): Promise<void> {
  await add(trx, 'accounts', {
    id: newId(now),
    user_id: userId,
    provider_id: 'credential',
    account_id: userId,
    password: passwordHash,
    created_at: now,
    updated_at: now,
  });
}

/** A user who came by a provider so far gets one. False: there is no such user. */
export async function setPassword(
  trx: Trx,
  userId: string,
  passwordHash: string,
  now: number,
): Promise<boolean> {
  const changed = await change(
    trx,
    'accounts',
    { user_id: userId, provider_id: 'credential' },
    { password: passwordHash, updated_at: now },
  );
  if (changed > 0) return true;
  const user = await one(trx, 'users', { id: userId }, ['id']);
  if (user) await addPassword(trx, userId, passwordHash, now);
  return user !== undefined;
}
