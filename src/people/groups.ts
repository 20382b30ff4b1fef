import { isUuid } from '#domain/ids';
import type { GroupChanged, Mapped } from '#store/people/group-memberships';
import type { Context } from './context.ts';
import { checkName, checkTeamName, normalizeName } from './fields.ts';
import { findTeam } from './find-team.ts';
import { type InvitedRole, isInvitedRole } from './roles.ts';

/** Names of groups are case-sensitive. */

const LONGEST_GROUP = 200;
const MOST_GROUPS = 500;
const MOST_GROUP_ROLES = 500;

export interface GroupRole {
  group: string;
  /** An id or a name. */
  team: string;
  role: InvitedRole;
}

const NAME = String.raw`(?:\s*"((?:[^"\\]|\\["\\])*)"\s*|([^",=:]+))`;
const GROUP_ROLE = new RegExp(String.raw`${NAME}=${NAME}:\s*(\w+)\s*(,(?=.)|$)`, 'gy');

/** `group=team:role, "cn=ops,ou=it"="Acme, Inc.":viewer`. A backslash escapes `"` and `\` in quotes. */
export function parseGroupRoles(text: string): GroupRole[] | null {
  const entries = Array.from(text.matchAll(GROUP_ROLE));
  const isWhole = entries.map(([entry]) => entry).join('') === text;
  if (!isWhole || entries.length === 0 || entries.length > MOST_GROUP_ROLES) return null;
  const roles = entries.map(([, quotedGroup, bareGroup, quotedTeam, bareTeam, role = '']) => {
    const group = readGroup(unquote(quotedGroup) ?? bareGroup ?? '');
    const team = normalizeName(unquote(quotedTeam) ?? bareTeam ?? '');
    const isTeam = isUuid(team) || checkName(team, 'a team name').length === 0;
    return group !== null && isTeam && isInvitedRole(role) ? { group, team, role } : null;
  });
  return roles.every((each) => each !== null) ? roles : null;
}

/**
 * Only the operator gives names that GROUP_ROLES maps: otherwise any user could pull a group's members into their
 * team.
 */
export function checkChosenTeamName(name: string, roles: readonly GroupRole[]): string[] {
  const isMapped = roles.some(({ team }) => team === normalizeName(name));
  return isMapped ? ['Only the operator of Belfry can use this name.'] : checkTeamName(name);
}

const unquote = (text: string | undefined) => text?.replaceAll(/\\(.)/g, '$1');

/** Null if invalid. */
function readGroup(text: string): string | null {
  const name = text.trim();
  const isName = name !== '' && name.length <= LONGEST_GROUP && !/[\p{Cc}\p{Cs}]/u.test(name);
  return isName ? name : null;
}

/** A list or one text; null if missing or of another type. */
export function readGroupsClaim(claim: unknown): string[] | null {
  if (typeof claim === 'string') return gather([claim]);
  return Array.isArray(claim) ? gather(claim) : null;
}

export function readGroupsHeader(text: string | null, separator: string): string[] {
  return text === null ? [] : gather(text.split(separator));
}

function gather(written: readonly unknown[]): string[] {
  const names = new Set<string>();
  for (const each of written) {
    const name = typeof each === 'string' ? readGroup(each) : null;
    if (name !== null) names.add(name);
    if (names.size === MOST_GROUPS) break;
  }
  return [...names].toSorted();
}

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
