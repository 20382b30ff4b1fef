import type { Database } from './database.ts';
import { bindHot, hotStatement } from './hot.ts';

export interface AttemptWindow {
  openedAt: number;
  /** Attempts counted in the window, this one included. */
  hits: number;
}

const countAttempt = hotStatement<{ opened_at: number; hits: number }>(
  'count-attempt',
  (dialect) => {
    const [key, now, length] = [dialect.$(1), dialect.$(2), dialect.$(3)];
    const isOver = `attempt_windows.opened_at + ${length} <= ${now}`;
    return `
    insert into attempt_windows (key, opened_at, hits) values (${key}, ${now}, 1)
    on conflict (key) do update set
      hits = case when ${isOver} then 1 else attempt_windows.hits + 1 end,
      opened_at = case when ${isOver} then ${now} else attempt_windows.opened_at end
    returning opened_at, hits`;
  },
);

/** How often somebody tried something, such as signing in; shared by all nodes. */
export class AttemptStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Counts one attempt in the key's window, opening a new one where the last is over. */
  async count(key: string, now: number, lengthMs: number): Promise<AttemptWindow> {
    const query = bindHot(this.#db.dialect, countAttempt, [key, now, lengthMs]);
    const [row] = await this.#db.runAlone(query);
    return { openedAt: row?.opened_at ?? now, hits: row?.hits ?? 1 };
  }

  /** Takes one attempt back, because it turned out to be no guess. */
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

  /** Forgets what is over: windows opened before `before`, and sessions, proofs and invitations past `now`. */
  async tidy(before: number, now: number): Promise<void> {
    await this.#db.transact(async (trx) => {
      await trx.deleteFrom('attempt_windows').where('opened_at', '<', before).execute();
      await trx.deleteFrom('sessions').where('expires_at', '<=', now).execute();
      await trx.deleteFrom('verifications').where('expires_at', '<=', now).execute();
      await trx.deleteFrom('invitations').where('expires_at', '<=', now).execute();
    });
  }
}
