import type { InvitedRole, Role } from '../tables/accounts.ts';

export interface Mapped {
  teamId: string;
  group: string;
  role: InvitedRole;
}

/** `group` is null if a person made it. */
export interface Present {
  teamId: string;
  role: Role;
  group: string | null;
}

/** `was`: the role so far; null for new members. */
export type GroupChange =
  | { kind: 'joined'; role: InvitedRole; group: string; was: null }
  | { kind: 'role'; role: InvitedRole; group: string; was: Role }
  | { kind: 'left'; group: string; was: Role };

type Change = GroupChange & { teamId: string };

const RANK: Record<InvitedRole, number> = { viewer: 0, member: 1, admin: 2 };

/** @param mapped of several groups of a team, the highest role counts, then the first name */
export function planMemberships(present: readonly Present[], mapped: readonly Mapped[]): Change[] {
  const best = bestOfTeams(mapped);
  const known = new Set(present.map(({ teamId }) => teamId));
  const changes = present.flatMap(({ teamId, role: was, group: by }): Change[] => {
    if (by === null || was === 'owner') return [];
    const now = best.get(teamId);
    if (!now) return [{ teamId, kind: 'left' as const, group: by, was }];
    const { group, role } = now;
    return group === by && role === was
      ? []
      : [{ teamId, kind: 'role' as const, group, role, was }];
  });
  const joined = [...best.values()].flatMap(({ teamId, group, role }): Change[] =>
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
