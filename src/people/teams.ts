import type { ActivityAction } from '#domain/team/activity';
import { isId } from '#domain/base/ids';
import type { Member, TeamContents } from '#store/people/members';
import { type Actor, authorize, proveMember } from './actor.ts';
import type { Context } from './context.ts';
import { gatherErrors, normalizeName } from './fields.ts';
import { checkChosenTeamName } from './groups.ts';
import { type Done, DONE, NOT_FOUND, type NotFound, refuse, type Refused } from './outcomes.ts';
import { type InvitedRole, isInvitedRole } from './roles.ts';

/** §5.8, §5.2. Throws NotAllowed for the wrong role. */

export { proveMember };

export async function createTeam(
  context: Context,
  userId: string,
  name: string,
): Promise<{ kind: 'created'; teamId: string } | Refused> {
  const { store, clock, plans, config } = context;
  const refused = gatherErrors({ name: checkChosenTeamName(name, config.groupRoles) });
  if (refused) return refused;
  const kept = normalizeName(name);
  const { maxTeamsPerUser: mostOwned } = config;
  const team = { name: kept, plan: plans.ofNewTeam, mostOwned };
  const teamId = await store.members.createTeam(userId, team, clock.now());
  return teamId === null
    ? refuse('name', `You own ${mostOwned} teams already, and more are not allowed here.`)
    : { kind: 'created', teamId };
}

export async function renameTeam(
  context: Context,
  actor: Actor,
  name: string,
): Promise<Done | Refused> {
  const { teamId } = await authorize(context, actor, 'rename-team');
  const kept = normalizeName(name);
  const { store, config } = context;
  const team = await store.teams.find(teamId);
  if (team?.name === kept) return DONE;
  const refused = gatherErrors({ name: checkChosenTeamName(name, config.groupRoles) });
  if (refused) return refused;
  await store.teams.rename(teamId, kept);
  await context.activity.ofTeam(teamId, actor, { action: 'team.renamed', detail: kept });
  return DONE;
}

/** Also for the API, at once (§5.2). False if the user isn't in it. */
export async function switchTeam(
  context: Context,
  userId: string,
  teamId: string,
): Promise<boolean> {
  if (!isId(teamId)) return false;
  return context.store.users.switchTeam(userId, teamId, context.clock.now());
}

export async function describeTeamDeletion(context: Context, actor: Actor): Promise<TeamContents> {
  const { teamId } = await authorize(context, actor, 'delete-team');
  return context.store.members.countContents(teamId);
}

/** API calls of users who had it selected get 500 (§5.3). */
export async function deleteTeam(
  context: Context,
  actor: Actor,
  name: string,
): Promise<Done | Refused> {
  const { teamId } = await authorize(context, actor, 'delete-team');
  const { store, clock } = context;
  const team = await store.teams.find(teamId);
  if (team && normalizeName(name) !== team.name) {
    return refuse('name', "This is not the team's name.");
  }
  await store.members.deleteTeam(teamId, clock.now());
  return DONE;
}

export async function leaveTeam(
  context: Context,
  actor: Actor,
): Promise<Done | { kind: 'is-owner' }> {
  const { teamId, userId, role } = await authorize(context, actor, 'look');
  if (role === 'owner') return { kind: 'is-owner' };
  const left = await context.store.members.remove(teamId, userId);
  if (!left) return { kind: 'is-owner' };
  await context.activity.ofTeam(teamId, actor, { action: 'member.left' });
  return DONE;
}

export async function transferTeam(
  context: Context,
  actor: Actor,
  toUserId: string,
): Promise<Done | NotFound | { kind: 'owns-enough' }> {
  const { teamId, userId } = await authorize(context, actor, 'transfer-team');
  if (!isId(toUserId)) return NOT_FOUND;
  const { store, config } = context;
  const parties = { ownerId: userId, toUserId, mostOwned: config.maxTeamsPerUser };
  const kind = await store.members.transfer(teamId, parties);
  if (kind !== 'moved') return { kind };
  await recordAbout(context, actor, 'team.transferred', toUserId);
  return DONE;
}

export async function listMembers(context: Context, actor: Actor): Promise<Member[]> {
  const { teamId } = await authorize(context, actor, 'manage-members');
  return context.store.members.list(teamId);
}

type Colleague = Pick<Member, 'userId' | 'name' | 'email' | 'role' | 'joinedAt'>;

/** For everybody in the team: without second factors and groups. */
export async function listColleagues(context: Context, actor: Actor): Promise<Colleague[]> {
  const { teamId } = await authorize(context, actor, 'look');
  const members = await context.store.members.list(teamId);
  return members.map(({ userId, name, email, role, joinedAt }) => {
    return { userId, name, email, role, joinedAt };
  });
}

export async function describeTeam(
  context: Context,
  actor: Actor,
): Promise<{ leading: Member[]; memberCount: number }> {
  const { teamId } = await authorize(context, actor, 'look');
  const members = await context.store.members.list(teamId);
  const leading = members.filter(({ role }) => role === 'owner' || role === 'admin');
  return { leading, memberCount: members.length };
}

/** Not found: the owner, too, who keeps that role until a transfer. */
export async function changeRole(
  context: Context,
  actor: Actor,
  userId: string,
  role: InvitedRole,
): Promise<Done | NotFound> {
  const { teamId } = await authorize(context, actor, 'manage-members');
  if (!isId(userId) || !isInvitedRole(role)) return NOT_FOUND;
  const changed = await context.store.members.changeRole(teamId, userId, role);
  if (!changed) return NOT_FOUND;
  await recordAbout(context, actor, 'member.role', userId, role);
  return DONE;
}

export async function removeMember(
  context: Context,
  actor: Actor,
  userId: string,
): Promise<Done | NotFound> {
  const { teamId } = await authorize(context, actor, 'manage-members');
  if (!isId(userId)) return NOT_FOUND;
  if (!(await context.store.members.remove(teamId, userId))) return NOT_FOUND;
  await recordAbout(context, actor, 'member.removed', userId);
  return DONE;
}

async function recordAbout(
  context: Context,
  actor: Actor,
  action: ActivityAction,
  userId: string,
  detail?: string,
): Promise<void> {
  const { store, activity } = context;
  const name = (await store.users.find(userId))?.name ?? 'a deleted account';
  const subject = { id: userId, name };
  await activity.ofTeam(actor.teamId, actor, { action, subject, ...(detail && { detail }) });
}
