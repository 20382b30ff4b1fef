import { isUuid } from '#domain/ids';
import type { Team } from '#store/people/teams';
import type { Context } from './context.ts';
import { normalizeName } from './fields.ts';
import { NOT_FOUND, type NotFound } from './outcomes.ts';

export type FoundTeam =
  | { kind: 'found'; team: Team }
  /** Several teams have this name. */
  | { kind: 'ambiguous'; teamIds: string[] }
  | NotFound;

/** A text that looks like an id is never taken as a name: teams made before such names were refused may have one. */
export async function findTeam(
  { store: { teams } }: Pick<Context, 'store'>,
  nameOrId: string,
): Promise<FoundTeam> {
  const found = isUuid(nameOrId)
    ? [await teams.find(nameOrId.toLowerCase())]
    : await teams.listByName(normalizeName(nameOrId));
  const [team] = found;
  if (!team) return NOT_FOUND;
  return found.length === 1
    ? { kind: 'found', team }
    : { kind: 'ambiguous', teamIds: found.flatMap((one) => one?.id ?? []) };
}
