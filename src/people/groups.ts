import { isUuid } from '#domain/base/ids';
import { checkName, checkTeamName, normalizeName } from './fields.ts';
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
