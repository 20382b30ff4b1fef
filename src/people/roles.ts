import type { InvitedRole, Role } from '#store/tables/accounts';

export type { InvitedRole, Role };

export type Permission =
  | 'look'
  | 'work'
  | 'rename-team'
  | 'manage-members'
  | 'signing-secret'
  | 'service-accounts'
  | 'notifications'
  | 'billing'
  | 'transfer-team'
  | 'delete-team';

const RANK: Record<Role, number> = { viewer: 0, member: 1, admin: 2, owner: 3 };

/**
 * §5.8. `work`: change crons, queues, jobs, alerts and windows, and see their secrets; `look`: see the rest. Anything
 * else is forbidden.
 */
const LEAST_ROLE: Record<Permission, Role> = {
  look: 'viewer',
  work: 'member',
  'rename-team': 'admin',
  'manage-members': 'admin',
  'signing-secret': 'admin',
  'service-accounts': 'admin',
  notifications: 'admin',
  billing: 'owner',
  'transfer-team': 'owner',
  'delete-team': 'owner',
};

export function may(role: Role, permission: Permission): boolean {
  return RANK[role] >= RANK[LEAST_ROLE[permission]];
}

export function leastRoleFor(permission: Permission): Role {
  return LEAST_ROLE[permission];
}

const INVITED: readonly string[] = ['admin', 'member', 'viewer'] satisfies InvitedRole[];

/** `owner` isn't: a team gets a new owner only by a transfer. */
export function isInvitedRole(role: string): role is InvitedRole {
  return INVITED.includes(role);
}
