import { newId } from '#domain/base/ids';
import { sql } from '../database/sql.ts';
import type { Context } from '../database/context.ts';
import type { Trx } from '../database/database.ts';
import { add, change, not, one, remove } from '../database/rows.ts';
import { readPassword, setPassword } from './passwords.ts';
import { dropOneTimeTokens, takeOneTimeToken } from './one-time-tokens.ts';
import { gatherUser, type UserAndTeam, type UserWithTeams, WITH_TEAMS } from './users.ts';

interface NewSession {
  userId: string;
  tokenHash: string;
  openedBy: string | null;
  address: string;
  userAgent: string | null;
  expiresAt: number;
}

/** They must still be true when the session is opened. */
interface Checked {
  passwordHash?: string;
  /** Deleted by the sign-in, so it works once. */
  challenge?: { purpose: string; hash: string };
}

/** So that a copy of the old token is worth nothing. */
export interface Rotation {
  sessionId: string;
  tokenHash: string;
  expiresAt: number;
}

export interface FoundSession extends UserWithTeams {
  id: string;
  openedBy: string | null;
  openedAt: number;
  expiresAt: number;
}

interface SessionRow extends UserAndTeam, Omit<FoundSession, 'id' | keyof UserWithTeams> {
  sessionId: string;
}

export const sessions = {
  /** @returns the session's id; null if a checked fact is no longer true */
  async open(
    { main }: Context,
    { userId, tokenHash, openedBy, address, userAgent, expiresAt }: NewSession,
    { passwordHash, challenge }: Checked,
    { replaced, now }: { replaced: string | null; now: number },
  ): Promise<string | null> {
    return main.transact(async (trx) => {
      const user = await one(trx, 'users', { id: userId }, ['id'], 'for key share');
      // A reset of the password locks this row first: it waits for us, or we see its result.
      const password = await readPassword(trx, userId, 'for share');
      if (!user || (passwordHash !== undefined && password !== passwordHash)) return null;
      if (challenge && !(await takeOneTimeToken(trx, challenge, now))) return null;
      if (replaced !== null) await remove(trx, 'sessions', { token_hash: replaced });
      const id = newId(now);
      await add(trx, 'sessions', {
        id,
        user_id: userId,
        token_hash: tokenHash,
        opened_by: openedBy,
        ip_address: address,
        user_agent: userAgent,
        created_at: now,
        expires_at: expiresAt,
      });
      return id;
    });
  },

  async find({ main }: Context, tokenHash: string, now: number): Promise<FoundSession | null> {
    const { columns, joins, order } = WITH_TEAMS;
    const rows = await main.ask(sql<SessionRow>`
      select ${columns}, s.id as "sessionId", s.opened_by as "openedBy",
        s.created_at as "openedAt", s.expires_at as "expiresAt"
      from sessions s join users u on u.id = s.user_id ${joins}
      where s.token_hash = ${tokenHash} and s.expires_at > ${now} ${order}`);
    const [first] = rows;
    const found = gatherUser(rows);
    if (!first || !found) return null;
    const { sessionId: id, openedBy, openedAt, expiresAt } = first;
    return { id, openedBy, openedAt, expiresAt, ...found };
  },

  async extend({ main }: Context, sessionId: string, expiresAt: number): Promise<void> {
    await change(main, 'sessions', { id: sessionId }, { expires_at: expiresAt });
  },

  async end({ main }: Context, tokenHash: string): Promise<void> {
    await remove(main, 'sessions', { token_hash: tokenHash });
  },

  /** Ends all other sessions and open one-time tokens. False if the password or session has changed. */
  async changePassword(
    { main }: Context,
    userId: string,
    { from, to }: { from: string; to: string },
    rotation: Rotation,
    now: number,
  ): Promise<boolean> {
    return main.transact(async (trx) => {
      if ((await readPassword(trx, userId, 'for update')) !== from) return false;
      if (!(await rotate(trx, rotation, now))) return false;
      await setPassword(trx, userId, to, now);
      await dropOneTimeTokens(trx, userId);
      await remove(trx, 'sessions', { user_id: userId, token_hash: not(rotation.tokenHash) });
      return true;
    });
  },
};

/** The session keeps its age and `openedBy`. False: it has ended. */
export async function rotate(
  trx: Trx,
  { sessionId, tokenHash, expiresAt }: Rotation,
  now: number,
): Promise<boolean> {
  const values = { id: newId(now), token_hash: tokenHash, expires_at: expiresAt };
  return (await change(trx, 'sessions', { id: sessionId }, values)) > 0;
}
