import { newId } from '#domain/ids';
import { setPassword } from './kept-passwords.ts';
import { endAccess } from './access.ts';
import type { Trx } from '../database/database.ts';
import { add, change } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

/** A token that lets its bearer do one thing once, such as set a new password. Only a hash of its secret is stored. */
export interface OneTimeToken {
  purpose: string;
  /** SHA-256 of the secret, in hexadecimal. */
  hash: string;
  /** The token's user id, or the email of a person who has no account yet. */
  whom: string;
  /** Further data, such as a new email. */
  detail?: string;
}

export interface TakenToken {
  whom: string;
  detail: string;
}

export interface TokenTimes {
  expiresAt: number;
  now: number;
}

/** A new password, and what changes together with it. */
export interface NewPassword {
  passwordHash: string;
  revokesToken: boolean;
}

/** One-time tokens, which expire. They share a table with those of the auth library. */
export const oneTimeTokens = {
  /** Makes tokens. Earlier ones of the same purposes and user stop working. */
  async replace(
    { main }: Context,
    tokens: readonly OneTimeToken[],
    times: TokenTimes,
  ): Promise<void> {
    await main.transact(async (trx) => {
      for (const token of tokens) await forget(trx, token.purpose, token.whom);
      for (const token of tokens) await insert(trx, token, times);
    });
  },

  /** Makes a token; earlier ones stay valid. */
  async add({ main }: Context, token: OneTimeToken, times: TokenTimes): Promise<void> {
    await main.transact((trx) => insert(trx, token, times));
  },

  async isValid(context: Context, purpose: string, hash: string, now: number): Promise<boolean> {
    return (await oneTimeTokens.read(context, purpose, hash, now)) !== null;
  },

  /** Gives the user id or email of a token, without using it up. Null where it is not valid (any more). */
  async read(
    { main }: Context,
    purpose: string,
    hash: string,
    now: number,
  ): Promise<string | null> {
    const row = await main.read((db) =>
      db
        .selectFrom('verifications')
        .select('value')
        .where('identifier', '=', `${purpose}:${hash}`)
        .where('expires_at', '>', now)
        .executeTakeFirst(),
    );
    return row?.value.split(' ')[0] ?? null;
  },

  /**
   * Uses the token up and sets the password of its user. Everybody who is signed in as the user, or has another way in,
   * is shut out. Gives the user's id; null where the token is not valid (any more).
   */
  async resetPassword(
    { main }: Context,
    purpose: string,
    hash: string,
    { passwordHash, revokesToken }: NewPassword,
    now: number,
  ): Promise<string | null> {
    return main.transact(async (trx) => {
      const taken = await takeOneTimeToken(trx, purpose, hash, now);
      if (taken === null) return null;
      const isThere = await setPassword(trx, taken.whom, passwordHash, now);
      await endAccess(trx, taken.whom, { revokesToken });
      // The link was mailed, or given out by the operator.
      await change(trx, 'users', { id: taken.whom }, { email_verified: 1 });
      return isThere ? taken.whom : null;
    });
  },

  /**
   * Uses the token up, together with the same user's tokens of another purpose. False where it is not valid (any more).
   */
  async stop(
    { main }: Context,
    purpose: string,
    hash: string,
    stopped: string,
    now: number,
  ): Promise<boolean> {
    return main.transact(async (trx) => {
      const taken = await takeOneTimeToken(trx, purpose, hash, now);
      if (taken === null) return false;
      await forget(trx, stopped, taken.whom);
      return true;
    });
  },

  /** Uses the token up and gives its data. Of several simultaneous callers exactly one gets it, the others null. */
  async take(
    { main }: Context,
    purpose: string,
    hash: string,
    now: number,
  ): Promise<TakenToken | null> {
    return main.transact((trx) => takeOneTimeToken(trx, purpose, hash, now));
  },
};

async function insert(
  trx: Trx,
  { purpose, hash, whom, detail }: OneTimeToken,
  { expiresAt, now }: TokenTimes,
): Promise<void> {
  await add(trx, 'verifications', {
    id: newId(now),
    identifier: `${purpose}:${hash}`,
    value: detail === undefined ? whom : `${whom} ${detail}`,
    expires_at: expiresAt,
    created_at: now,
    updated_at: now,
  });
}

export async function takeOneTimeToken(
  trx: Trx,
  purpose: string,
  hash: string,
  now: number,
): Promise<TakenToken | null> {
  const row = await trx
    .deleteFrom('verifications')
    .where('identifier', '=', `${purpose}:${hash}`)
    .where('expires_at', '>', now)
    .returning('value')
    .executeTakeFirst();
  if (!row) return null;
  const [whom = '', detail = ''] = row.value.split(' ');
  return { whom, detail };
}

async function forget(trx: Trx, purpose: string, whom: string): Promise<void> {
  await trx
    .deleteFrom('verifications')
    .where((eb) => eb.or([eb('value', '=', whom), eb('value', 'like', `${whom} %`)]))
    .where('identifier', 'like', `${purpose}:%`)
    .execute();
}
