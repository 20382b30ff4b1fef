import { change } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

/** How a session was opened, beside what the auth library keeps of it. */
export interface SessionOrigin {
  /** The issuer of the provider; null: with what Belfry itself asks for. */
  openedBy: string | null;
}

export const sessionOrigins = {
  async read({ main }: Context, sessionId: string): Promise<SessionOrigin> {
    const row = await main.read((db) =>
      db
        .selectFrom('sessions')
        .select('opened_by as openedBy')
        .where('id', '=', sessionId)
        .executeTakeFirst(),
    );
    return row ?? { openedBy: null };
  },

  async keep({ main }: Context, sessionId: string, { openedBy }: SessionOrigin): Promise<void> {
    await main.transact((trx) =>
      change(trx, 'sessions', { id: sessionId }, { opened_by: openedBy }),
    );
  },

  /** Makes one session what another was: opened in the same way, at the same time. */
  async handOn(
    { main }: Context,
    sessionId: string,
    { openedBy }: SessionOrigin,
    openedAt: number,
  ): Promise<void> {
    await main.transact((trx) =>
      change(trx, 'sessions', { id: sessionId }, { opened_by: openedBy, created_at: openedAt }),
    );
  },
};
