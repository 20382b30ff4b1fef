import { sql } from '../database/sql.ts';
import { setPassword } from './passwords.ts';
import type { Context } from '../database/context.ts';
import type { Trx } from '../database/database.ts';
import { above, add, change, one, remove } from '../database/rows.ts';

/** Only a hash of its secret is stored. */
interface OneTimeToken {
  purpose: string;
  hash: string;
  whom: string;
  /** Such as a new email, or a team. */
  detail: string;
  expiresAt: number;
}

export interface TakenToken {
  whom: string;
  detail: string;
}

export type TokenKey = Pick<OneTimeToken, 'purpose' | 'hash'>;

interface NewPassword {
  passwordHash: string;
  revokesToken: boolean;
}

export const oneTimeTokens = {
  /** `replaces`: earlier ones of the same purpose and user. */
  async add(
    { main }: Context,
    { purpose, hash, whom, detail, expiresAt }: OneTimeToken,
    { replaces }: { replaces: boolean },
  ): Promise<void> {
    await main.transact(async (trx) => {
      if (replaces) await remove(trx, 'one_time_tokens', { purpose, whom });
      await add(trx, 'one_time_tokens', { hash, purpose, whom, detail, expires_at: expiresAt });
    });
  },

  /** Null if it isn't valid. */
  async read({ main }: Context, token: TokenKey, now: number): Promise<TakenToken | null> {
    const key = { ...token, expires_at: above(now) };
    return (await one(main, 'one_time_tokens', key, ['whom', 'detail'])) ?? null;
  },

  /** Ends all access to the account. Null: not valid. */
  async resetPassword(
    { main }: Context,
    token: TokenKey,
    { passwordHash, revokesToken }: NewPassword,
    now: number,
  ): Promise<string | null> {
    return main.transact(async (trx) => {
      const taken = await takeOneTimeToken(trx, token, now);
      if (taken === null) return null;
      const isThere = await setPassword(trx, taken.whom, passwordHash, now);
      await endAccess(trx, taken.whom, { revokesToken });
      // The link was mailed, or given out by the operator.
      await change(trx, 'users', { id: taken.whom }, { email_verified: 1 });
      return isThere ? taken.whom : null;
    });
  },

  /** Uses up the token and the user's tokens of another purpose. False if it isn't valid. */
  async stop({ main }: Context, token: TokenKey, stopped: string, now: number): Promise<boolean> {
    return main.transact(async (trx) => {
      const taken = await takeOneTimeToken(trx, token, now);
      if (taken === null) return false;
      await remove(trx, 'one_time_tokens', { purpose: stopped, whom: taken.whom });
      return true;
    });
  },

  /** Of several simultaneous callers exactly one gets its data. */
  async take({ main }: Context, token: TokenKey, now: number): Promise<TakenToken | null> {
    return main.transact((trx) => takeOneTimeToken(trx, token, now));
  },
};

export async function takeOneTimeToken(
  trx: Trx,
  { purpose, hash }: TokenKey,
  now: number,
): Promise<TakenToken | null> {
  const [taken] = await trx.ask(sql<TakenToken>`
    delete from one_time_tokens where hash = ${hash} and purpose = ${purpose} and expires_at > ${now}
    returning whom, detail`);
  return taken ?? null;
}

/** Ends sessions, one-time tokens and optionally the API token. */
export async function endAccess(
  trx: Trx,
  userId: string,
  { revokesToken }: { revokesToken: boolean },
): Promise<void> {
  await remove(trx, 'sessions', { user_id: userId });
  await dropOneTimeTokens(trx, userId);
  if (revokesToken) await remove(trx, 'api_tokens', { user_id: userId });
}

/** Also a second factor that isn't confirmed. */
export async function dropOneTimeTokens(trx: Trx, userId: string): Promise<void> {
  await remove(trx, 'one_time_tokens', { whom: userId });
  await remove(trx, 'two_factors', { user_id: userId, verified: 0 });
}
