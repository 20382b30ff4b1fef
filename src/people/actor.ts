import { isId } from '#domain/ids';
import type { Store } from '#store/store';
import { may, type Permission, type Role } from './roles.ts';

/** Who acts, in which team. */
export interface Actor {
  userId: string;
  teamId: string;
  role: Role;
}

/**
 * A member was about to do what their role does not allow. Pages ask `may` before they offer something, so
 * this is a role that changed a moment ago, or a defect of the caller: answer it with 403.
 */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
  readonly code = 'NOT_ALLOWED';
}

/** The user's membership as it is now; null where they are not in the team, or it is gone. */
export async function proveMember(
  store: Pick<Store, 'members'>,
  userId: string,
  teamId: string,
): Promise<Actor | null> {
  if (!isId(userId) || !isId(teamId)) return null;
  const role = await store.members.findRole(teamId, userId);
  return role && { userId, teamId, role };
}

/**
 * Stands before everything that is done to a team. The role that an actor brings along is not believed:
 * it is read again, so a change of roles is in force with the next call.
 *
 * @throws NotAllowed
 */
export async function authorize(
  store: Pick<Store, 'members'>,
  { userId, teamId }: Actor,
  permission: Permission,
): Promise<Actor> {
  const actor = await proveMember(store, userId, teamId);
  if (!actor || !may(actor.role, permission)) {
    throw new NotAllowed(`${actor?.role ?? 'nobody'} may not: ${permission}`);
  }
  return actor;
}
