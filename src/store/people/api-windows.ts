import { countInWindow, type CountingWindow } from './counting-window.ts';
import type { Database } from '../database/database.ts';

const countHit = countInWindow('count-api-hit', 'api_windows', 'address');

/** Requests per client address, shared by all nodes on one Postgres (§8.1). */
export class ApiWindowStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Counts one request in the address's window, opening a new one where the last is over. */
  async countHit(address: string, now: number, lengthMs: number): Promise<CountingWindow> {
    return countHit(this.#db, address, now, lengthMs);
  }

  /** Deletes windows that are over. */
  async deleteClosed(now: number, lengthMs: number): Promise<void> {
    await this.#db.transact((trx) =>
      trx
        .deleteFrom('api_windows')
        .where('opened_at', '<=', now - lengthMs)
        .execute(),
    );
  }
}
