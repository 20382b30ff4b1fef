import type { ActivityAction } from '#domain/team/activity';
import { isId } from '#domain/base/ids';
import { type Actor, allowed, proveMember } from './actor.ts';
import type { Context } from './context.ts';
import { gatherErrors, normalizeName } from './fields.ts';
import { checkChosenTeamName } from './groups.ts';
import { DONE, NOT_FOUND, refuse, type Refused } from './outcomes.ts';
import { type InvitedRole, isInvitedRole } from './roles.ts';

/** §5.8, §5.2. */

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

export const renameTeam = allowed('rename-team', async (context, actor, name: string) => {
  const { teamId } = actor;
  const kept = normalizeName(name);
  const { store, config } = context;
  const team = await store.teams.find(teamId);
  if (team?.name === kept) return DONE;
  const refused = gatherErrors({ name: checkChosenTeamName(name, config.groupRoles) });
  if (refused) return refused;
  await store.teams.rename(teamId, kept);
  await context.activity.ofTeam(teamId, actor, { action: 'team.renamed', detail: kept });
  return DONE;
});

/** Also for the API, at once (§5.2). False if the user isn't in it. */
export async function switchTeam(
  context: Context,
  userId: string,
  teamId: string,
): Promise<boolean> {
  if (!isId(teamId)) return false;
  return context.store.users.switchTeam(userId, teamId, context.clock.now());
}

export const describeTeamDeletion = allowed('delete-team', ({ store }, { teamId }) =>
  store.members.countContents(teamId),
);

/** API calls of users who had it selected get 500 (§5.3). */
export const deleteTeam = allowed(
  'delete-team',
  async ({ store, clock }, { teamId }, name: string) => {
    const team = await store.teams.find(teamId);
    if (team && normalizeName(name) !== team.name) {
      return refuse('name', "This is not the team's name.");
    }
    await store.members.deleteTeam(teamId, clock.now());
    return DONE;
  },
);

export const leaveTeam = allowed('look', async ({ store, activity }, actor) => {
  const { teamId, userId, role } = actor;
  if (role === 'owner' || !(await store.members.remove(teamId, userId)))
    return { kind: 'is-owner' } as const;
  await activity.ofTeam(teamId, actor, { action: 'member.left' });
  return DONE;
});

export const transferTeam = allowed('transfer-team', async (context, actor, toUserId: string) => {
  if (!isId(toUserId)) return NOT_FOUND;
  const { store, config } = context;
  const parties = { ownerId: actor.userId, toUserId, mostOwned: config.maxTeamsPerUser };
  const kind = await store.members.transfer(actor.teamId, parties);
  if (kind !== 'moved') return { kind };
  await recordAbout(context, actor, 'team.transferred', toUserId);
  return DONE;
});

export const listMembers = allowed('manage-members', ({ store }, { teamId }) =>
  store.members.list(teamId),
);

/** For everybody in the team: without second factors and groups. */
export const listColleagues = allowed('look', async ({ store }, { teamId }) => {
  const members = await store.members.list(teamId);
  return members.map(({ userId, name, email, role, joinedAt }) => {
    return { userId, name, email, role, joinedAt };
  });
});

export const describeTeam = allowed('look', async ({ store }, { teamId }) => {
  const members = await store.members.list(teamId);
  const leading = members.filter(({ role }) => role === 'owner' || role === 'admin');
  return { leading, memberCount: members.length };
});

/** Not found: the owner, too, who keeps that role until a transfer. */
export const changeRole = allowed(
  'manage-members',
  async (context, actor, userId: string, role: InvitedRole) => {
    if (!isId(userId) || !isInvitedRole(role)) return NOT_FOUND;
    const { members } = context.store;
    if (!(await members.changeRole(actor.teamId, userId, role))) return NOT_FOUND;
    await recordAbout(context, actor, 'member.role', userId, role);
    return DONE;
  },
);

export const removeMember = allowed('manage-members', async (context, actor, userId: string) => {
  if (!isId(userId)) return NOT_FOUND;
  if (!(await context.store.members.remove(actor.teamId, userId))) return NOT_FOUND;
  await recordAbout(context, actor, 'member.removed', userId);
  return DONE;
});

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
