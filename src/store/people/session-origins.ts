import type { Database } from '../database/database.ts';
import { change } from '../database/rows.ts';

/** How a session was opened, beside what the auth library keeps of it. */
export interface SessionOrigin {
  /** The issuer of the provider; null: with what Belfry itself asks for. */
  openedBy: string | null;
}

export class SessionOriginStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async read(sessionId: string): Promise<SessionOrigin> {
    const row = await this.#db.read((db) =>
      db
        .selectFrom('sessions')
        .select('opened_by as openedBy')
        .where('id', '=', sessionId)
        .executeTakeFirst(),
    );
    return row ?? { openedBy: null };
  }

  async keep(sessionId: string, { openedBy }: SessionOrigin): Promise<void> {
    await this.#db.transact((trx) =>
      change(trx, 'sessions', { id: sessionId }, { opened_by: openedBy }),
    );
  }

  /** Makes one session what another was: opened in the same way, at the same time. */
  async handOn(sessionId: string, { openedBy }: SessionOrigin, openedAt: number): Promise<void> {
    await this.#db.transact((trx) =>
      change(trx, 'sessions', { id: sessionId }, { opened_by: openedBy, created_at: openedAt }),
    );
  }
}
