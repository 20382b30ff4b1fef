import type { InvitedRole, Role } from '#store/database/accounts-schema';

export type { InvitedRole, Role };

/** What a member may be asked for, in one word each. */
export type Permission =
  | 'look'
  | 'work'
  | 'rename-team'
  | 'manage-members'
  | 'signing-secret'
  | 'notifications'
  | 'billing'
  | 'transfer-team'
  | 'delete-team';

const RANK: Record<Role, number> = { viewer: 0, member: 1, admin: 2, owner: 3 };

/**
 * The whole policy (§5.8): the least role that may do each thing. `work` is to change crons, queues, jobs,
 * alerts and maintenance windows, and to see the secrets in them; `look` is to see the rest of them. What is not
 * listed, nobody may.
 */
const LEAST_ROLE: Record<Permission, Role> = {
  look: 'viewer',
  work: 'member',
  'rename-team': 'admin',
  'manage-members': 'admin',
  'signing-secret': 'admin',
  notifications: 'admin',
  billing: 'owner',
  'transfer-team': 'owner',
  'delete-team': 'owner',
};

export function may(role: Role, permission: Permission): boolean {
  if (!Object.hasOwn(LEAST_ROLE, permission) || !Object.hasOwn(RANK, role)) return false;
  return RANK[role] >= RANK[LEAST_ROLE[permission]];
}

/** Whom to ask for what one may not do. */
export function leastRoleFor(permission: Permission): Role {
  return LEAST_ROLE[permission];
}

const INVITED: readonly string[] = ['admin', 'member', 'viewer'] satisfies InvitedRole[];

/** A form may carry any text: an owner is made by handing the team over and in no other way. */
export function isInvitedRole(role: string): role is InvitedRole {
  return INVITED.includes(role);
}
