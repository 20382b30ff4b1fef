import type { GroupChanged, Mapped } from '#store/people/group-memberships';
import type { Context } from './context.ts';
import { findTeam } from './find-team.ts';

/** Memberships by GROUP_ROLES (§5.7). */

/** A team that GROUP_ROLES names by no id and no unambiguous name counts as not mapped. */
export async function mappedTo(context: Context, groups: readonly string[]): Promise<Mapped[]> {
  const roles = context.config.groupRoles.filter(({ group }) => groups.includes(group));
  const teams = await findTeams(
    context,
    roles.map(({ team }) => team),
  );
  return roles.flatMap(({ group, team, role }) => {
    const found = teams.get(team);
    return found?.kind === 'found' ? [{ teamId: found.team.id, group, role }] : [];
  });
}

/**
 * @param groups null if none were sent: then the user is in no group
 * @returns whether anything changed
 */
export async function applyGroups(
  context: Context,
  userId: string,
  groups: readonly string[] | null,
): Promise<boolean> {
  const { store, clock, log } = context;
  const mapped = await mappedTo(context, groups ?? []);
  const changes = await store.groupMemberships.apply(userId, mapped, clock.now());
  for (const change of changes) await record(context, userId, change);
  const left = changes.filter(({ kind }) => kind === 'left').length;
  if (groups === null && left > 0) log.warn('account.groups-missing', { userId, left });
  return changes.length > 0;
}

/** Warns if no team, or several, match. */
export async function warnOfUnknownTeams(context: Context): Promise<void> {
  const { config, log } = context;
  const teams = await findTeams(
    context,
    config.groupRoles.map(({ team }) => team),
  );
  for (const [team, { kind }] of teams) {
    if (kind !== 'found') log.warn('group-roles.no-such-team', { team, reason: kind });
  }
}

async function findTeams(context: Context, names: readonly string[]) {
  const distinct = [...new Set(names)];
  const found = await Promise.all(distinct.map((name) => findTeam(context, name)));
  return new Map(found.map((team, at) => [distinct[at], team]));
}

async function record(context: Context, userId: string, change: GroupChanged): Promise<void> {
  const { kind, group, teamId } = change;
  const detail =
    kind === 'left' ? `by the group ${group}` : `${change.role}, by the group ${group}`;
  const action = `member.group-${kind}` as const;
  await context.activity.ofTeam(teamId, { userId }, { action, detail });
}
