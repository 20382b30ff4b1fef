import { SIGNING_SECRET_PLACE } from '../runs/claims.ts';
import type { Database, Trx } from '../database/database.ts';
import type { Sealer } from '../database/seal.ts';

export interface NextSecret {
  /** When the secret was made. */
  setAt: number;
  /** When the secret takes effect. */
  from: number;
}

const NONE = {
  sealed_next_signing_secret: null,
  next_signing_secret_set_at: null,
  next_signing_secret_from: null,
} as const;

/** Signing secrets that are not in force yet (§5.6). */
export class NextSecretStore {
  readonly #db: Database;
  readonly #sealer: Sealer;

  constructor(db: Database, sealer: Sealer) {
    this.#db = db;
    this.#sealer = sealer;
  }

  /** Stores a team's next secret; it replaces one that was planned before. */
  async plan(teamId: string, secret: string, { setAt, from }: NextSecret): Promise<void> {
    await this.#change(teamId, {
      sealed_next_signing_secret: this.#sealer.seal(SIGNING_SECRET_PLACE, secret),
      next_signing_secret_set_at: setAt,
      next_signing_secret_from: from,
    });
  }

  async drop(teamId: string): Promise<void> {
    await this.#change(teamId, NONE);
  }

  async find(teamId: string): Promise<NextSecret | null> {
    const row = await this.#read(teamId);
    const from = row?.next_signing_secret_from ?? null;
    return from === null ? null : { setAt: row?.next_signing_secret_set_at ?? 0, from };
  }

  /**
   * Opens a team's next secret. Null where there is none. Throws STORE_WRONG_KEY if it does not open with this APP_KEY.
   */
  async reveal(teamId: string): Promise<string | null> {
    const sealed = (await this.#read(teamId))?.sealed_next_signing_secret ?? null;
    return sealed === null ? null : this.#sealer.open(SIGNING_SECRET_PLACE, sealed);
  }

  /**
   * Puts a team's next secret in force now.
   *
   * @returns whether there was one
   */
  async useNow(teamId: string, now: number): Promise<boolean> {
    return this.#db.transact(async (trx) => {
      await trx
        .updateTable('teams')
        .set({ next_signing_secret_from: now })
        .where('id', '=', teamId)
        .where('sealed_next_signing_secret', 'is not', null)
        .execute();
      return (await putInForce(trx, now)).includes(teamId);
    });
  }

  /**
   * Puts all next secrets in force whose time has come.
   *
   * @returns the ids of their teams
   */
  async changeDue(now: number): Promise<string[]> {
    return this.#db.transact((trx) => putInForce(trx, now));
  }

  /** When the earliest next secret of any team takes effect; null where none is planned. */
  async readEarliest(): Promise<number | null> {
    const row = await this.#db.read((db) =>
      db
        .selectFrom('teams')
        .select((of) => of.fn.min('next_signing_secret_from').as('earliest'))
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),
    );
    return row?.earliest ?? null;
  }

  async #read(teamId: string) {
    return this.#db.read((db) =>
      db
        .selectFrom('teams')
        .select([
          'sealed_next_signing_secret',
          'next_signing_secret_set_at',
          'next_signing_secret_from',
        ])
        .where('id', '=', teamId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),
    );
  }

  async #change(
    teamId: string,
    columns: Record<keyof typeof NONE, string | number | null>,
  ): Promise<void> {
    await this.#db.transact((trx) =>
      trx
        .updateTable('teams')
        .set(columns as never)
        .where('id', '=', teamId)
        .where('deleted_at', 'is', null)
        .execute(),
    );
  }
}

async function putInForce(trx: Trx, now: number): Promise<string[]> {
  const changed = await trx
    .updateTable('teams')
    .set((of) => ({
      sealed_signing_secret: of.ref('sealed_next_signing_secret'),
      signing_secret_set_at: of.ref('next_signing_secret_from'),
      ...NONE,
    }))
    .where('next_signing_secret_from', '<=', now)
    .where('deleted_at', 'is', null)
    .returning('id')
    .execute();
  return changed.map(({ id }) => id);
}
