import { type RawBuilder, sql } from 'kysely';
import type { InvitedRole, Role } from '../database/accounts-schema.ts';

/** The columns of a role. A viewer is stored as a member with a mark, because older versions know only three roles. */
export function keepRole<Of extends Role>(role: Of) {
  type Kept = Exclude<Of, 'viewer'> | 'member';
  const isViewer = role === 'viewer';
  return { role: (isViewer ? 'member' : role) as Kept, view_only: isViewer ? 1 : 0 };
}

/** Reads a role from a table with this alias. If an older version has given a viewer another role, that role counts. */
export function roleIn(table: 'i' | 'invitations'): RawBuilder<InvitedRole>;
export function roleIn(table: 'm' | 'memberships'): RawBuilder<Role>;
export function roleIn(table: string): RawBuilder<Role> {
  const [role, mark] = [sql.ref(`${table}.role`), sql.ref(`${table}.view_only`)];
  return sql`case when ${role} = 'member' and ${mark} = 1 then 'viewer' else ${role} end`;
}

/** Whether the columns of a row mean a viewer. */
export function isViewer(row: { role: string | null; view_only: number | null }): boolean {
  return row.role === 'member' && row.view_only === 1;
}
