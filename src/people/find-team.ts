import { isUuid } from '#domain/base/ids';
import type { Team } from '#store/people/teams';
import type { Context } from './context.ts';
import { normalizeName } from './fields.ts';
import { NOT_FOUND, type NotFound } from './outcomes.ts';

type FoundTeam =
  | { kind: 'found'; team: Team }
  | { kind: 'ambiguous'; teamIds: string[] }
  | NotFound;

/** A text that looks like an id is never a name: older teams may have such names. */
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
