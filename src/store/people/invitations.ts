import { sql } from 'kysely';
import { newId } from '#domain/ids';
import type { InvitedRole } from '../tables/accounts.ts';
import { join } from './members.ts';
import { add, remove } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

export interface Invitation {
  id: string;
  /** The invited address; null: anybody who has the link. */
  email: string | null;
  role: InvitedRole;
  invitedByName: string;
  createdAt: number;
  expiresAt: number;
}

export interface NewInvitation {
  teamId: string;
  tokenHash: string;
  /** In lower case. */
  email: string | null;
  role: InvitedRole;
  invitedBy: string;
  expiresAt: number;
}

export interface OpenInvitation extends Invitation {
  teamId: string;
  teamName: string;
}

export type Accepted =
  | { kind: 'joined'; teamId: string }
  | { kind: 'not-found' }
  | { kind: 'other-email'; email: string }
  | { kind: 'already-member' };

/** The shown columns of an invitation `i` and of the user `u` who made it. */
const SHOWN = [
  'i.id',
  'i.email',
  'u.name as invitedByName',
  'i.created_at as createdAt',
  'i.expires_at as expiresAt',
] as const;

/** Open invitations. A used or revoked one is deleted. */
export const invitations = {
  /** Makes an invitation. An earlier one of the team for the same email is replaced. */
  async create({ main }: Context, invitation: NewInvitation, now: number): Promise<void> {
    const { teamId, tokenHash, email, role, invitedBy, expiresAt } = invitation;
    await main.transact(async (trx) => {
      if (email !== null) {
        await remove(trx, 'invitations', { team_id: teamId, email });
      }
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

  /** The invitations that can still be used, newest first. */
  async list({ main }: Context, teamId: string, now: number): Promise<Invitation[]> {
    return main.read((db) =>
      db
        .selectFrom('invitations as i')
        .innerJoin('users as u', 'u.id', 'i.invited_by')
        .select([...SHOWN, 'i.role'])
        .where('i.team_id', '=', teamId)
        .where('i.expires_at', '>', now)
        .orderBy('i.id', 'desc')
        .execute(),
    );
  },

  async isMember({ main }: Context, teamId: string, email: string): Promise<boolean> {
    const row = await main.read((db) =>
      db
        .selectFrom('memberships as m')
        .innerJoin('users as u', 'u.id', 'm.user_id')
        .select('u.id')
        .where('m.team_id', '=', teamId)
        .where('u.email', '=', email)
        .executeTakeFirst(),
    );
    return row !== undefined;
  },

  async revoke({ main }: Context, teamId: string, invitationId: string): Promise<boolean> {
    return main.transact(async (trx) => {
      const removed = await remove(trx, 'invitations', { team_id: teamId, id: invitationId });
      return removed > 0;
    });
  },

  async findOpen(
    { main }: Context,
    tokenHash: string,
    now: number,
  ): Promise<OpenInvitation | null> {
    const row = await main.read((db) =>
      db
        .selectFrom('invitations as i')
        .innerJoin('users as u', 'u.id', 'i.invited_by')
        .innerJoin('teams as t', 't.id', 'i.team_id')
        .select([...SHOWN, 'i.role', 't.id as teamId', 't.name as teamName'])
        .where('i.token_hash', '=', tokenHash)
        .where('i.expires_at', '>', now)
        .where('t.deleted_at', 'is', null)
        .executeTakeFirst(),
    );
    return row ?? null;
  },

  /** Accepts an invitation for a user who has an account. It is used up only if the user joined. */
  async accept(
    { main }: Context,
    tokenHash: string,
    userId: string,
    now: number,
  ): Promise<Accepted> {
    return main.transact(async (trx): Promise<Accepted> => {
      const invitation = await trx
        .selectFrom('invitations as i')
        .innerJoin('teams as t', 't.id', 'i.team_id')
        .select(['i.team_id', 'i.id', 'i.email', 'i.role'])
        .where('i.token_hash', '=', tokenHash)
        .where('i.expires_at', '>', now)
        .where('t.deleted_at', 'is', null)
        .modifyEnd(sql.raw(main.dialect.lock('for update of i')))
        .executeTakeFirst();
      if (!invitation) return { kind: 'not-found' };
      const { team_id: teamId, id, email, role } = invitation;
      const user = await trx
        .selectFrom('users as u')
        .leftJoin('memberships as m', (on) =>
          on.onRef('m.user_id', '=', 'u.id').on('m.team_id', '=', teamId),
        )
        .select(['u.email', 'm.role'])
        .where('u.id', '=', userId)
        .executeTakeFirst();
      if (!user) return { kind: 'not-found' };
      if (email !== null && email !== user.email) return { kind: 'other-email', email };
      if (user.role !== null) return { kind: 'already-member' };
      await remove(trx, 'invitations', { team_id: teamId, id });
      await join(trx, teamId, userId, role, now);
      return { kind: 'joined', teamId };
    });
  },
};
