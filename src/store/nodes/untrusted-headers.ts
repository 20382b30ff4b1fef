import type { Database } from '../database/database.ts';

/** The row of `installation` that says which header of a proxy came, to a service that trusts none. */
export const UNTRUSTED_HEADER_KEY = 'untrusted_forwarding';

/** A header that came although no setting trusts it. */
export interface UntrustedHeader {
  header: string;
  /** TRUSTED_PROXIES as it was then. */
  trustedProxies: number;
  at: number;
}

/** What the service saw of its surroundings and its operator should know of. */
export class UntrustedHeaderStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async keep({ header, trustedProxies, at }: UntrustedHeader): Promise<void> {
    const value = `${at} ${trustedProxies} ${header}`;
    await this.#db.transact((trx) =>
      trx
        .insertInto('installation')
        .values({ key: UNTRUSTED_HEADER_KEY, value })
        .onConflict((oc) => oc.column('key').doUpdateSet({ value }))
        .execute(),
    );
  }

  async read(): Promise<UntrustedHeader | null> {
    const row = await this.#db.read((db) =>
      db
        .selectFrom('installation')
        .select('value')
        .where('key', '=', UNTRUSTED_HEADER_KEY)
        .executeTakeFirst(),
    );
    return row ? readUntrustedHeader(row.value) : null;
  }
}

export function readUntrustedHeader(value: string): UntrustedHeader {
  const [at, trustedProxies, header = ''] = value.split(' ');
  return { header, trustedProxies: Number(trustedProxies), at: Number(at) };
}
