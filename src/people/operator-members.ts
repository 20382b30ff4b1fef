import type { ActivityAction } from '#domain/team/activity';
import { normalizeEmail } from '#domain/team/email-address';
import type { Member } from '#store/people/members';
import type { TeamOfUser, User } from '#store/people/users';
import type { Context } from './context.ts';
import type { InvitedRole } from './roles.ts';

/** The operator acts, so no role is checked. */

export type { Member, User };

export async function listUsers({ store }: Context): Promise<User[]> {
  return store.users.list();
}

/**
 * Null: no such account.
 * @returns the owned teams with other members, which prevent it
 */
export async function deleteUser(context: Context, email: string): Promise<TeamOfUser[] | null> {
  const { store, clock, log } = context;
  const user = await store.users.findByEmail(normalizeEmail(email));
  if (!user) return null;
  const inTheWay = await store.users.delete(user.id, clock.now());
  if (inTheWay.length === 0)
    log.info('account.changed', { what: 'deleted by the operator', userId: user.id });
  return inTheWay;
}

export async function listTeamMembers({ store }: Context, teamId: string): Promise<Member[]> {
  return store.members.list(teamId);
}

/** `not-done`: it is a member already. */
export async function addMember(
  context: Context,
  teamId: string,
  email: string,
  role: InvitedRole,
): Promise<'done' | 'not-found' | 'not-done'> {
  const { members } = context.store;
  const add = (userId: string) => members.add(teamId, userId, role, context.clock.now());
  return actOn(context, { teamId, email, action: 'member.added', detail: role }, add);
}

/** `not-done`: not in the team, or its owner. */
export async function setMemberRole(
  context: Context,
  teamId: string,
  email: string,
  role: InvitedRole,
): Promise<'done' | 'not-found' | 'not-done'> {
  const { members } = context.store;
  const change = (userId: string) => members.changeRole(teamId, userId, role);
  return actOn(context, { teamId, email, action: 'member.role', detail: role }, change);
}

export async function expelMember(
  context: Context,
  teamId: string,
  email: string,
): Promise<'done' | 'not-found' | 'not-done'> {
  const remove = (userId: string) => context.store.members.remove(teamId, userId);
  return actOn(context, { teamId, email, action: 'member.removed' }, remove);
}

async function actOn(
  { store, activity }: Context,
  {
    teamId,
    email,
    action,
    detail,
  }: { teamId: string; email: string; action: ActivityAction; detail?: string },
  act: (userId: string) => Promise<boolean>,
): Promise<'done' | 'not-found' | 'not-done'> {
  const user = await store.users.findByEmail(normalizeEmail(email));
  if (!user) return 'not-found';
  if (!(await act(user.id))) return 'not-done';
  const subject = { id: user.id, name: user.name };
  await activity.ofTeam(teamId, 'command-line', { action, subject, ...(detail && { detail }) });
  return 'done';
}
