import type { Role } from '#store/database/accounts-schema';

export type { Role };

/** What a member may be asked for, in one word each. */
export type Permission =
  | 'work'
  | 'rename-team'
  | 'manage-members'
  | 'signing-secret'
  | 'notifications'
  | 'billing'
  | 'transfer-team'
  | 'delete-team';

const RANK: Record<Role, number> = { member: 1, admin: 2, owner: 3 };

/**
 * The whole policy (§5.8): the least role that may do each thing. `work` is crons, queues, jobs,
 * alerts and maintenance windows. What is not listed, nobody may.
 */
const LEAST_ROLE: Record<Permission, Role> = {
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
