import type { Database } from '../database/database.ts';
import { one } from '../database/rows.ts';

/** A fact seen in requests that the operator must learn. The last one is kept in `installation`. */
export interface SightingKind<T> {
  key: string;
  write: (sighting: T) => string;
  read: (text: string) => T;
}

/** Keeps the last sighting of a kind. */
export class SightingStore<T> {
  readonly #db: Database;
  readonly #kind: SightingKind<T>;

  constructor(db: Database, kind: SightingKind<T>) {
    this.#db = db;
    this.#kind = kind;
  }

  async keep(sighting: T): Promise<void> {
    const { key, write } = this.#kind;
    const value = write(sighting);
    await this.#db.transact((trx) =>
      trx
        .insertInto('installation')
        .values({ key, value })
        .onConflict((oc) => oc.column('key').doUpdateSet({ value }))
        .execute(),
    );
  }

  async read(): Promise<T | null> {
    const { key, read } = this.#kind;
    const row = await one(this.#db, 'installation', { key }, ['value']);
    return row ? read(row.value) : null;
  }
}
