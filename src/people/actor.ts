import { isId } from '#domain/base/ids';
import { NotAllowed } from '#domain/http/not-allowed';
import type { Context } from './context.ts';
import { may, type Permission, type Role } from './roles.ts';

export interface Actor {
  userId: string;
  teamId: string;
  role: Role;
}

/** Null if they are not in the team, or it was deleted. */
export async function proveMember(
  { store }: Context,
  userId: string,
  teamId: string,
): Promise<Actor | null> {
  if (!isId(userId) || !isId(teamId)) return null;
  const role = await store.members.findRole(teamId, userId);
  return role && { userId, teamId, role };
}

/**
 * An action in the actor's team that needs a permission. The role is read from the store each time, so a change takes
 * effect with the next call. Rejects with NotAllowed.
 */
export function allowed<Given extends unknown[], Result>(
  permission: Permission,
  act: (context: Context, actor: Actor, ...given: Given) => Result | Promise<Result>,
) {
  return async (context: Context, { userId, teamId }: Actor, ...given: Given): Promise<Result> => {
    const actor = await proveMember(context, userId, teamId);
    if (!actor || !may(actor.role, permission)) {
      throw new NotAllowed(`${actor?.role ?? 'nobody'} may not: ${permission}`);
    }
    return act(context, actor, ...given);
  };
}
