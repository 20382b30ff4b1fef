import type { Database } from './database.ts';
import { bindHot, hotStatement } from './hot.ts';

export interface ApiWindow {
  openedAt: number;
  /** Requests counted in the window, this one included. */
  hits: number;
}

const countHit = hotStatement<{ opened_at: number; hits: number }>('count-api-hit', (dialect) => {
  const [address, now, length] = [dialect.$(1), dialect.$(2), dialect.$(3)];
  const isOver = `api_windows.opened_at + ${length} <= ${now}`;
  return `
  insert into api_windows (address, opened_at, hits) values (${address}, ${now}, 1)
  on conflict (address) do update set
    hits = case when ${isOver} then 1 else api_windows.hits + 1 end,
    opened_at = case when ${isOver} then ${now} else api_windows.opened_at end
  returning opened_at, hits`;
});

/** Requests per client address, shared by all nodes on one Postgres (§8.1). */
export class ApiWindowStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Counts one request in the address's window, opening a new one where the last is over. */
  async countHit(address: string, now: number, lengthMs: number): Promise<ApiWindow> {
    const query = bindHot(this.#db.dialect, countHit, [address, now, lengthMs]);
    const [row] = await this.#db.runAlone(query);
    return { openedAt: row?.opened_at ?? now, hits: row?.hits ?? 1 };
  }

  /** Forgets windows that are over. */
  async deleteClosed(now: number, lengthMs: number): Promise<void> {
    await this.#db.transact((trx) =>
      trx
        .deleteFrom('api_windows')
        .where('opened_at', '<=', now - lengthMs)
        .execute(),
    );
  }
}
