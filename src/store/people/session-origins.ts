import type { Database } from '../database/database.ts';

/** How a session was opened, beside what the auth library keeps of it. */
export interface SessionOrigin {
  /** The issuer of the provider, or the proxy; null: with what Belfry itself asks for. */
  openedBy: string | null;
  /** The groups that memberships were last made from, as a digest, and when that was; null: they never were. */
  groups: { digest: string; at: number } | null;
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
        .select(['opened_by', 'groups_digest', 'groups_at'])
        .where('id', '=', sessionId)
        .executeTakeFirst(),
    );
    const { opened_by: openedBy, groups_digest: digest, groups_at: at } = row ?? NOTHING;
    return { openedBy, groups: digest === null || at === null ? null : { digest, at } };
  }

  async keep(sessionId: string, origin: SessionOrigin): Promise<void> {
    await this.#db.transact((trx) =>
      trx.updateTable('sessions').set(columnsOf(origin)).where('id', '=', sessionId).execute(),
    );
  }

  /** Makes one session what another was: opened in the same way, at the same time. */
  async handOn(sessionId: string, origin: SessionOrigin, openedAt: number): Promise<void> {
    await this.#db.transact((trx) =>
      trx
        .updateTable('sessions')
        .set({ ...columnsOf(origin), created_at: openedAt })
        .where('id', '=', sessionId)
        .execute(),
    );
  }
}

function columnsOf({ openedBy, groups }: SessionOrigin) {
  return {
    opened_by: openedBy,
    groups_digest: groups?.digest ?? null,
    groups_at: groups?.at ?? null,
  };
}

const NOTHING = { opened_by: null, groups_digest: null, groups_at: null };
