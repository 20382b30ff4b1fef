import { type RawBuilder, sql } from 'kysely';
import type { InvitedRole, Role } from '../database/accounts-schema.ts';

/** What is kept of a role: a viewer is a member with a mark, since versions before it know three roles. */
export function keepRole<Of extends Role>(role: Of) {
  type Kept = Exclude<Of, 'viewer'> | 'member';
  const isViewer = role === 'viewer';
  return { role: (isViewer ? 'member' : role) as Kept, view_only: isViewer ? 1 : 0 };
}

/** Reads a role of the table of that name. Where a version before made a viewer something else, that holds. */
export function roleIn(table: 'i' | 'invitations'): RawBuilder<InvitedRole>;
export function roleIn(table: 'm' | 'memberships'): RawBuilder<Role>;
export function roleIn(table: string): RawBuilder<Role> {
  const [role, mark] = [sql.ref(`${table}.role`), sql.ref(`${table}.view_only`)];
  return sql`case when ${role} = 'member' and ${mark} = 1 then 'viewer' else ${role} end`;
}

/** The same of a row that was read as it is kept. */
export function isViewer(row: { role: string | null; view_only: number | null }): boolean {
  return row.role === 'member' && row.view_only === 1;
}
