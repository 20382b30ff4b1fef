import { newId } from '#domain/base/ids';
import { type Sql, sql } from '../database/sql.ts';
import type { InvitedRole } from '../tables/accounts.ts';
import { join } from './members.ts';
import { add, one, remove } from '../database/rows.ts';
import type { Trx } from '../database/database.ts';
import { findRole } from './users.ts';
import type { Context } from '../database/context.ts';

export interface Invitation {
  id: string;
  /** Null: anybody who has the link. */
  email: string | null;
  role: InvitedRole;
  invitedByName: string;
  createdAt: number;
  expiresAt: number;
}

interface NewInvitation {
  teamId: string;
  tokenHash: string;
  email: string | null;
  role: InvitedRole;
  invitedBy: string;
  expiresAt: number;
}

interface OpenInvitation extends Invitation {
  teamId: string;
  teamName: string;
}

export type Accepted =
  | { kind: 'joined'; teamId: string }
  | { kind: 'not-found' }
  | { kind: 'other-email'; email: string }
  | { kind: 'already-member' };

/** Of invitations that can be used. */
const selectOpen = (where: Sql, now: number) => sql<OpenInvitation>`
  select i.id, i.email, i.role, u.name as "invitedByName", i.created_at as "createdAt",
    i.expires_at as "expiresAt", t.id as "teamId", t.name as "teamName"
  from invitations i join users u on u.id = i.invited_by join teams t on t.id = i.team_id
  where i.expires_at > ${now} and t.deleted_at is null and ${where}`;

const hasToken = (tokenHash: string) => sql`i.token_hash = ${tokenHash}`;

/** Of simultaneous callers, the others find none once the first has removed it. */
export async function lockInvitation(trx: Trx, tokenHash: string, now: number) {
  const lock = sql.raw(trx.dialect.lock('for update of i'));
  const [found] = await trx.ask(selectOpen(sql`${hasToken(tokenHash)} ${lock}`, now));
  return found;
}

export const invitations = {
  /** Replaces an earlier one of the team for the same email. */
  async create({ main }: Context, invitation: NewInvitation, now: number): Promise<void> {
    const { teamId, tokenHash, email, role, invitedBy, expiresAt } = invitation;
    await main.transact(async (trx) => {
      if (email !== null) await remove(trx, 'invitations', { team_id: teamId, email });
      await add(trx, 'invitations', {
        team_id: teamId,
        id: newId(now),
        token_hash: tokenHash,
        email,
        role,
        invited_by: invitedBy,
        created_at: now,
        expires_at: expiresAt,
      });
    });
  },

  async list({ main }: Context, teamId: string, now: number): Promise<Invitation[]> {
    return main.ask(selectOpen(sql`i.team_id = ${teamId} order by i.id desc`, now));
  },

  async isMember({ main }: Context, teamId: string, email: string): Promise<boolean> {
    const user = await one(main, 'users', { email }, ['id']);
    if (!user) return false;
    const key = { team_id: teamId, user_id: user.id };
    return (await one(main, 'memberships', key, ['role'])) !== undefined;
  },

  async revoke({ main }: Context, teamId: string, invitationId: string): Promise<boolean> {
    return (await remove(main, 'invitations', { team_id: teamId, id: invitationId })) > 0;
  },

  async findOpen(
    { main }: Context,
    tokenHash: string,
    now: number,
  ): Promise<OpenInvitation | null> {
    const [invitation] = await main.ask(selectOpen(hasToken(tokenHash), now));
    return invitation ?? null;
  },

  /** It is used up only if the user joined. */
  async accept(
    { main }: Context,
    tokenHash: string,
    userId: string,
    now: number,
  ): Promise<Accepted> {
    return main.transact(async (trx): Promise<Accepted> => {
      const invitation = await lockInvitation(trx, tokenHash, now);
      if (!invitation) return { kind: 'not-found' };
      const { teamId, id, email, role } = invitation;
      const user = await one(trx, 'users', { id: userId }, ['email']);
      if (!user) return { kind: 'not-found' };
      if (email !== null && email !== user.email) return { kind: 'other-email', email };
      if ((await findRole(trx, teamId, userId)) !== null) return { kind: 'already-member' };
      await remove(trx, 'invitations', { team_id: teamId, id });
      await join(trx, teamId, userId, role, now);
      return { kind: 'joined', teamId };
    });
  },
};
