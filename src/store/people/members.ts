import { sql } from '../database/sql.ts';
import { COUNT_LIMIT } from '../database/bounded-count.ts';
import type { YesNo } from '../tables/table.ts';
import type { InvitedRole, Role } from '../tables/accounts.ts';
import type { Trx } from '../database/database.ts';
import { insertTeam } from './teams.ts';
import { findRole, listOwned } from './users.ts';
import { add, addMissing, all, change, count, not, one, remove } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

export interface Member {
  userId: string;
  name: string;
  email: string;
  role: Role;
  joinedAt: number;
  hasSecondFactor: boolean;
  hasPasskey: boolean;
  /** Of the provider or proxy; null: added by hand. */
  group: string | null;
}

type MemberRow = Omit<Member, 'hasSecondFactor' | 'hasPasskey'> & {
  factor: YesNo;
  passkey: string | null;
};

/** Jobs are counted up to `COUNT_LIMIT`. */
export interface TeamContents {
  crons: number;
  queues: number;
  jobs: number;
  members: number;
}

/** The database allows at most one owner per team. */
export const members = {
  async findRole({ main }: Context, teamId: string, userId: string): Promise<Role | null> {
    return findRole(main, teamId, userId);
  },

  async list({ main }: Context, teamId: string): Promise<Member[]> {
    const rows = await main.ask(sql<MemberRow>`
      select u.id as "userId", u.name, u.email, m.role, m.created_at as "joinedAt",
        m.group_name as "group", u.two_factor_enabled as factor,
        (select p.id from passkeys p where p.user_id = u.id limit 1) as passkey
      from memberships m join users u on u.id = m.user_id
      where m.team_id = ${teamId} order by u.name, u.id`);
    return rows.map(({ factor, passkey, ...member }) =>
      Object.assign(member, { hasSecondFactor: factor === 1, hasPasskey: passkey !== null }),
    );
  },

  /**
   * It becomes the current team only if they have none, because the API acts in it. False:
   * they are a member already.
   */
  async add(
    { main }: Context,
    teamId: string,
    userId: string,
    role: InvitedRole,
    now: number,
  ): Promise<boolean> {
    return main.transact(async (trx) => {
      const row = { team_id: teamId, user_id: userId, role, created_at: now };
      if ((await addMissing(trx, 'memberships', row)) === 0) return false;
      const current = { current_team_id: teamId, updated_at: now };
      await change(trx, 'users', { id: userId, current_team_id: null }, current);
      return true;
    });
  },

  /** It becomes the user's current team. Null: they own as many teams as allowed. */
  async createTeam(
    { main }: Context,
    userId: string,
    { name, plan, mostOwned }: { name: string; plan: string; mostOwned: number },
    now: number,
  ): Promise<string | null> {
    return main.transact(async (trx) => {
      if ((await countOwned(trx, userId)) >= mostOwned) return null;
      const team = await insertTeam(trx, { name, plan }, now);
      await join(trx, team.id, userId, 'owner', now);
      return team.id;
    });
  },

  /** Their groups no longer change it. False if the user isn't in the team, or is its owner. */
  async changeRole(
    { main }: Context,
    teamId: string,
    userId: string,
    role: InvitedRole,
  ): Promise<boolean> {
    return main.transact(async (trx) => {
      const key = { team_id: teamId, user_id: userId, role: not('owner') };
      if ((await change(trx, 'memberships', key, { role, group_name: null })) === 0) return false;
      if (role !== 'admin') await revokeInvitationsBy(trx, teamId, userId);
      return true;
    });
  },

  async remove({ main }: Context, teamId: string, userId: string): Promise<boolean> {
    return main.transact((trx) => leave(trx, teamId, userId));
  },

  /** The old owner becomes an admin. Not found: not the owner, or the other is no member. */
  async transfer(
    { main }: Context,
    teamId: string,
    { ownerId, toUserId, mostOwned }: { ownerId: string; toUserId: string; mostOwned: number },
  ): Promise<'moved' | 'not-found' | 'owns-enough'> {
    if (ownerId === toUserId) return 'not-found';
    return main.transact(async (trx) => {
      const rows = await all(
        trx,
        'memberships',
        { team_id: teamId, user_id: [ownerId, toUserId] },
        { columns: ['user_id', 'role'], order: ['user_id'], lock: 'for update' },
      );
      const isOwner = rows.some(({ user_id, role }) => user_id === ownerId && role === 'owner');
      if (!isOwner || rows.length < 2) return 'not-found';
      if ((await countOwned(trx, toUserId)) >= mostOwned) return 'owns-enough';
      for (const [user_id, role] of [[ownerId, 'admin'] as const, [toUserId, 'owner'] as const])
        await change(trx, 'memberships', { team_id: teamId, user_id }, { role, group_name: null });
      return 'moved';
    });
  },

  async countContents({ main }: Context, teamId: string): Promise<TeamContents> {
    const of = async (table: 'crons' | 'queues' | 'jobs' | 'ended_jobs' | 'memberships') =>
      count(main, table, { team_id: teamId }, COUNT_LIMIT);
    return {
      crons: await of('crons'),
      queues: await of('queues'),
      jobs: Math.min(COUNT_LIMIT, (await of('jobs')) + (await of('ended_jobs'))),
      members: await of('memberships'),
    };
  },

  /** It runs nothing, has no members, and its invitations and service accounts can't be used. */
  async deleteTeam({ main }: Context, teamId: string, now: number): Promise<void> {
    await main.transact(async (trx) => {
      await change(trx, 'teams', { id: teamId, deleted_at: null }, { deleted_at: now });
      await remove(trx, 'invitations', { team_id: teamId });
      await remove(trx, 'memberships', { team_id: teamId });
    });
  },
};

/** Locks the user's row on Postgres: of two teams made at once, both must count. */
async function countOwned(trx: Trx, userId: string): Promise<number> {
  await one(trx, 'users', { id: userId }, ['id'], 'for update');
  return (await listOwned(trx, userId)).length;
}

export async function join(
  trx: Trx,
  teamId: string,
  userId: string,
  role: Role,
  now: number,
): Promise<void> {
  await add(trx, 'memberships', { team_id: teamId, user_id: userId, role, created_at: now });
  await change(trx, 'users', { id: userId }, { current_team_id: teamId, updated_at: now });
}

/** False if the user isn't in the team, or owns it. */
export async function leave(trx: Trx, teamId: string, userId: string): Promise<boolean> {
  const key = { team_id: teamId, user_id: userId, role: not('owner') };
  if ((await remove(trx, 'memberships', key)) === 0) return false;
  await revokeInvitationsBy(trx, teamId, userId);
  await change(trx, 'users', { id: userId, current_team_id: teamId }, { current_team_id: null });
  return true;
}

/** So that a removed member can't come back by a link of their own. */
export async function revokeInvitationsBy(trx: Trx, teamId: string, userId: string): Promise<void> {
  await remove(trx, 'invitations', { team_id: teamId, invited_by: userId });
}
