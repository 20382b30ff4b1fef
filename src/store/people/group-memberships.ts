import type { Trx } from '../database/database.ts';
import { leave, revokeInvitationsBy } from './members.ts';
import { addMissing, all, change, count, not, one, type Reading } from '../database/rows.ts';
import type { InvitedRole, Role } from '../tables/accounts.ts';
import type { Context } from '../database/context.ts';

export interface Mapped {
  teamId: string;
  group: string;
  role: InvitedRole;
}

/** `group` is null if a person made it. */
interface Present {
  teamId: string;
  role: Role;
  group: string | null;
}

/** `was`: the role so far; null for new members. */
type GroupChange =
  | { kind: 'joined'; role: InvitedRole; group: string; was: null }
  | { kind: 'role'; role: InvitedRole; group: string; was: Role }
  | { kind: 'left'; group: string; was: Role };

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

/** So changes by groups wait for each other. Leaves out deleted teams. */
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

async function presentOf(db: Reading, userId: string): Promise<Present[]> {
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
  // Another group with the same role isn't reported.
  return changed.role !== was;
}

const RANK: Record<InvitedRole, number> = { viewer: 0, member: 1, admin: 2 };

/** @param mapped of several groups of a team, the highest role counts, then the first name */
function planMemberships(present: readonly Present[], mapped: readonly Mapped[]): GroupChanged[] {
  const best = bestOfTeams(mapped);
  const known = new Set(present.map(({ teamId }) => teamId));
  const changes = present.flatMap(({ teamId, role: was, group: by }): GroupChanged[] => {
    if (by === null || was === 'owner') return [];
    const now = best.get(teamId);
    if (!now) return [{ teamId, kind: 'left' as const, group: by, was }];
    const { group, role } = now;
    return group === by && role === was
      ? []
      : [{ teamId, kind: 'role' as const, group, role, was }];
  });
  const joined = [...best.values()].flatMap(({ teamId, group, role }): GroupChanged[] =>
    known.has(teamId) ? [] : [{ teamId, kind: 'joined' as const, group, role, was: null }],
  );
  return [...changes, ...joined];
}

export function bestOfTeams(mapped: readonly Mapped[]): Map<string, Mapped> {
  const best = new Map<string, Mapped>();
  for (const each of mapped) {
    const other = best.get(each.teamId);
    const isBetter =
      !other ||
      RANK[each.role] > RANK[other.role] ||
      (each.role === other.role && each.group < other.group);
    if (isBetter) best.set(each.teamId, each);
  }
  return best;
}
