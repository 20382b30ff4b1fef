import { newId } from '#domain/ids';
import { endAccess } from './access.ts';
import type { Database, Trx } from '../database/database.ts';

/** Something that its bearer may do once, such as set a new password; only a hash of the secret is kept. */
export interface OneTimeToken {
  purpose: string;
  /** SHA-256 of the secret, in hexadecimal. */
  hash: string;
  /** Whom it is for: a user's id, or the email of somebody who has no account yet. */
  whom: string;
  /** What it is about besides, such as a new email. */
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

/** What a password that is set anew brings with it. */
export interface NewPassword {
  passwordHash: string;
  revokesToken: boolean;
}

/** One-time tokens, which expire. They share a table with the auth library's own. */
export class OneTimeTokenStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Makes tokens; earlier ones of the same purposes and user stop working. */
  async replace(tokens: readonly OneTimeToken[], times: TokenTimes): Promise<void> {
    await this.#db.transact(async (trx) => {
      for (const token of tokens) await forget(trx, token.purpose, token.whom);
      for (const token of tokens) await insert(trx, token, times);
    });
  }

  /** Makes a token beside those that are there. */
  async add(token: OneTimeToken, times: TokenTimes): Promise<void> {
    await this.#db.transact((trx) => insert(trx, token, times));
  }

  async isValid(purpose: string, hash: string, now: number): Promise<boolean> {
    return (await this.read(purpose, hash, now)) !== null;
  }

  /** Whom a token is for, without taking it; null where it is not valid (any more). */
  async read(purpose: string, hash: string, now: number): Promise<string | null> {
    const row = await this.#db.read((db) =>
      db
        .selectFrom('verifications')
        .select('value')
        .where('identifier', '=', `${purpose}:${hash}`)
        .where('expires_at', '>', now)
        .executeTakeFirst(),
    );
    return row?.value.split(' ')[0] ?? null;
  }

  /**
   * Takes the token and with it sets the password of the user that it names; whoever was in as the user, or had
   * a way in, is out. Gives the user; null where it is not valid (any more).
   */
  async resetPassword(
    purpose: string,
    hash: string,
    { passwordHash, revokesToken }: NewPassword,
    now: number,
  ): Promise<string | null> {
    return this.#db.transact(async (trx) => {
      const taken = await takeOneTimeToken(trx, purpose, hash, now);
      if (taken === null) return null;
      const { numUpdatedRows } = await trx
        .updateTable('accounts')
        .set({ password: passwordHash, updated_at: now })
        .where('user_id', '=', taken.whom)
        .where('provider_id', '=', 'credential')
        .executeTakeFirst();
      await endAccess(trx, taken.whom, { revokesToken });
      // The link came by mail, or from the operator.
      await trx
        .updateTable('users')
        .set({ email_verified: 1 })
        .where('id', '=', taken.whom)
        .execute();
      return numUpdatedRows > 0n ? taken.whom : null;
    });
  }

  /** Takes the token and with it those of another purpose of the same user. False: it is not valid (any more). */
  async stop(purpose: string, hash: string, stopped: string, now: number): Promise<boolean> {
    return this.#db.transact(async (trx) => {
      const taken = await takeOneTimeToken(trx, purpose, hash, now);
      if (taken === null) return false;
      await forget(trx, stopped, taken.whom);
      return true;
    });
  }

  /** Takes the token: of several takers exactly one gets what it is about, the others null. */
  async take(purpose: string, hash: string, now: number): Promise<TakenToken | null> {
    return this.#db.transact((trx) => takeOneTimeToken(trx, purpose, hash, now));
  }
}

async function insert(
  trx: Trx,
  { purpose, hash, whom, detail }: OneTimeToken,
  { expiresAt, now }: TokenTimes,
): Promise<void> {
  await trx
    .insertInto('verifications')
    .values({
      id: newId(now),
      identifier: `${purpose}:${hash}`,
      value: detail === undefined ? whom : `${whom} ${detail}`,
      expires_at: expiresAt,
      created_at: now,
      updated_at: now,
    })
    .execute();
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
