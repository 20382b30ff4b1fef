import { newId } from '#domain/ids';
import type { Database, Trx } from './database.ts';

/** Something that its bearer may do once, such as set a new password; only a hash of the secret is kept. */
export interface Proof {
  purpose: string;
  /** SHA-256 of the secret, in hexadecimal. */
  hash: string;
  /** Whom or what it is for. */
  value: string;
}

/** Single-use proofs that expire. They share a table with the accounts library's own. */
export class ProofStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Makes a proof; earlier ones of the same purpose and value stop working. */
  async make({ purpose, hash, value }: Proof, expiresAt: number, now: number): Promise<void> {
    await this.#db.transact(async (trx) => {
      await forget(trx, purpose, value);
      await trx
        .insertInto('verifications')
        .values({
          id: newId(now),
          identifier: `${purpose}:${hash}`,
          value,
          expires_at: expiresAt,
          created_at: now,
          updated_at: now,
        })
        .execute();
    });
  }

  async isValid(purpose: string, hash: string, now: number): Promise<boolean> {
    const row = await this.#db.read((db) =>
      db
        .selectFrom('verifications')
        .select('id')
        .where('identifier', '=', `${purpose}:${hash}`)
        .where('expires_at', '>', now)
        .executeTakeFirst(),
    );
    return row !== undefined;
  }

  /**
   * Takes the proof and with it sets the password of the user that it names, ends all their sessions and
   * forgets their other proofs of that purpose. False: it is not valid (any more).
   */
  async resetPassword(
    purpose: string,
    hash: string,
    passwordHash: string,
    now: number,
  ): Promise<boolean> {
    return this.#db.transact(async (trx) => {
      const userId = await take(trx, purpose, hash, now);
      if (userId === null) return false;
      const { numUpdatedRows } = await trx
        .updateTable('accounts')
        .set({ password: passwordHash, updated_at: now })
        .where('user_id', '=', userId)
        .where('provider_id', '=', 'credential')
        .executeTakeFirst();
      await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
      await forget(trx, purpose, userId);
      return numUpdatedRows > 0n;
    });
  }

  /** Takes the proof: of several takers exactly one gets its value, the others null. */
  async take(purpose: string, hash: string, now: number): Promise<string | null> {
    return this.#db.transact((trx) => take(trx, purpose, hash, now));
  }
}

async function take(trx: Trx, purpose: string, hash: string, now: number): Promise<string | null> {
  const row = await trx
    .deleteFrom('verifications')
    .where('identifier', '=', `${purpose}:${hash}`)
    .where('expires_at', '>', now)
    .returning('value')
    .executeTakeFirst();
  return row?.value ?? null;
}

async function forget(trx: Trx, purpose: string, value: string): Promise<void> {
  await trx
    .deleteFrom('verifications')
    .where('value', '=', value)
    .where('identifier', 'like', `${purpose}:%`)
    .execute();
}
