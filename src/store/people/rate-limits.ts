import { countInWindow, type CountingWindow } from './counting-window.ts';
import type { Database } from '../database/database.ts';

const countTry = countInWindow('count-attempt', 'attempt_windows', 'key');

/** Counts of tries of limited actions, such as signing in; shared by all nodes. */
export class RateLimitStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Counts one try in the key's window, and opens a new window if the last one is over. */
  async count(key: string, now: number, lengthMs: number): Promise<CountingWindow> {
    return countTry(this.#db, key, now, lengthMs);
  }

  /** Takes one try back, because it was no wrong guess. */
  async takeBack(key: string): Promise<void> {
    await this.#db.transact((trx) =>
      trx
        .updateTable('attempt_windows')
        .set((eb) => ({ hits: eb('hits', '-', 1) }))
        .where('key', '=', key)
        .where('hits', '>', 0)
        .execute(),
    );
  }

  /**
   * Deletes what is over: windows opened before `before`, and sessions, one-time tokens and invitations that expired by
   * `now`.
   */
  async tidy(before: number, now: number): Promise<void> {
    await this.#db.transact(async (trx) => {
      await trx.deleteFrom('attempt_windows').where('opened_at', '<', before).execute();
      await trx.deleteFrom('sessions').where('expires_at', '<=', now).execute();
      await trx.deleteFrom('verifications').where('expires_at', '<=', now).execute();
      await trx.deleteFrom('invitations').where('expires_at', '<=', now).execute();
    });
  }
}
