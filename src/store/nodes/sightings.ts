import type { Database } from '../database/database.ts';

/** The row of `installation` that says which header of a proxy came, to a service that trusts none. */
export const FORWARDING_SIGHTING = 'untrusted_forwarding';

/** A header that came although no setting trusts it. */
export interface Sighting {
  header: string;
  /** TRUSTED_PROXIES as it was then. */
  trustedProxies: number;
  at: number;
}

/** What the service saw of its surroundings and its operator should know of. */
export class SightingStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async keep({ header, trustedProxies, at }: Sighting): Promise<void> {
    const value = `${at} ${trustedProxies} ${header}`;
    await this.#db.transact((trx) =>
      trx
        .insertInto('installation')
        .values({ key: FORWARDING_SIGHTING, value })
        .onConflict((oc) => oc.column('key').doUpdateSet({ value }))
        .execute(),
    );
  }

  async read(): Promise<Sighting | null> {
    const row = await this.#db.read((db) =>
      db
        .selectFrom('installation')
        .select('value')
        .where('key', '=', FORWARDING_SIGHTING)
        .executeTakeFirst(),
    );
    return row ? readSighting(row.value) : null;
  }
}

export function readSighting(value: string): Sighting {
  const [at, trustedProxies, header = ''] = value.split(' ');
  return { header, trustedProxies: Number(trustedProxies), at: Number(at) };
}
