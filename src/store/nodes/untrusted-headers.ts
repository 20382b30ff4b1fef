import type { Database } from '../database/database.ts';

/** The key in `installation` of the last header of a proxy that came while no proxy was trusted. */
export const UNTRUSTED_HEADER_KEY = 'untrusted_forwarding';

/** A header of a proxy that came while no setting trusts it. */
export interface UntrustedHeader {
  header: string;
  /** The value of TRUSTED_PROXIES at that time. */
  trustedProxies: number;
  at: number;
}

/** Keeps the last header of an untrusted proxy, for the operator. */
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
