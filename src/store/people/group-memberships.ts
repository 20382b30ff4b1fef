import type { Database, Reader, Trx } from '../database/database.ts';
import { planMemberships, type GroupChange, type Mapped, type Present } from './group-plan.ts';
import { leave, revokeInvitationsBy } from './members.ts';
import { addMissing, all, change, count, not, one } from '../database/rows.ts';
import type { Role } from '../tables/accounts.ts';
import type { Context } from '../database/context.ts';

export type { Mapped } from './group-plan.ts';

export type GroupChanged = GroupChange & { teamId: string };

/** Never touches memberships made by hand. No team loses its last owner or admin, and no team becomes a current one. */
export const groupMemberships = {
  /** Writes nothing if they are right already. @param mapped  every team that one of the person's groups leads to */
  async apply(
    { main }: Context,
    userId: string,
    mapped: readonly Mapped[],
    now: number,
  ): Promise<GroupChanged[]> {
    const present = await presentOf(main, userId);
    if (planMemberships(present, mapped).length === 0) return [];
    return main.transact(async (trx) => {
      // Two sign-ins of one person wait for each other.
      const user = await one(trx, 'users', { id: userId }, ['id'], 'for update');
      if (!user) return [];
      const changes = planMemberships(await presentOf(trx, userId), mapped);
      const live = new Set(await lockTeams(trx, changes));
      const done: GroupChanged[] = [];
      for (const change of changes) {
        if (live.has(change.teamId) && (await carryOut(trx, userId, change, now))) {
          done.push(change);
        }
      }
      return done;
    });
  },
};

/** So that changes of a team's memberships by groups wait for each other. Leaves out deleted teams. */
async function lockTeams(trx: Trx, changes: readonly GroupChanged[]): Promise<string[]> {
  if (changes.length === 0) return [];
  const rows = await all(
    trx,
    'teams',
    { id: [...new Set(changes.map(({ teamId }) => teamId))], deleted_at: null },
    { columns: ['id'], order: ['id'], lock: 'for no key update' },
  );
  return rows.map(({ id }) => id);
}

async function presentOf(db: Database | Reader, userId: string): Promise<Present[]> {
  const rows = await all(db, 'memberships', { user_id: userId });
  return rows.map(({ team_id, role, group_name }) => ({
    teamId: team_id,
    role,
    group: group_name,
  }));
}

async function carryOut(
  trx: Trx,
  userId: string,
  changed: GroupChanged,
  now: number,
): Promise<boolean> {
  const { teamId, kind, was } = changed;
  const isLead = was === 'admin' && !(kind === 'role' && changed.role === 'admin');
  const other = { team_id: teamId, user_id: not(userId), role: ['owner', 'admin'] as Role[] };
  if (isLead && (await count(trx, 'memberships', other, 1)) === 0) return false;
  if (kind === 'left') return leave(trx, teamId, userId);
  const columns = { role: changed.role, group_name: changed.group };
  const key = { team_id: teamId, user_id: userId };
  if (kind === 'joined') {
    await addMissing(trx, 'memberships', { ...key, ...columns, created_at: now });
    return true;
  }
  await change(trx, 'memberships', { ...key, group_name: not(null) }, columns);
  if (changed.role !== 'admin') await revokeInvitationsBy(trx, teamId, userId);
  // Another group with the same role is not reported.
  return changed.role !== was;
}
