import type { Doer } from '#domain/activity';
import type { Clock } from '#domain/clock';
import { MOST_GROUPS_OF_TEAM, type TeamGroup } from '#store/people/team-groups';
import type { Store } from '#store/store';
import { type Actor, authorize } from './actor.ts';
import type { PeopleConfig } from './config.ts';
import { LONGEST_GROUP, readGroup } from './groups.ts';
import { type Done, DONE, NOT_FOUND, type NotFound, refuse, type Refused } from './outcomes.ts';
import type { PeopleActivity } from './people-activity.ts';
import { isInvitedRole } from './roles.ts';

interface Deps {
  store: Store;
  clock: Clock;
  activity: PeopleActivity;
  config: Pick<PeopleConfig, 'provider' | 'proxySignIn'>;
}

const LAST_LEAD =
  'The team would have neither owner nor admin left. Make somebody else an admin first.';

/** The groups of the provider or proxy that a team lets in (§5.7). */
export class TeamGroups {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether anybody says here which groups people are in. */
  tellsGroups(): boolean {
    const { provider, proxySignIn } = this.#deps.config;
    return provider !== null || (proxySignIn?.groupsHeader ?? null) !== null;
  }

  async listGroups(actor: Actor): Promise<TeamGroup[]> {
    const { teamId } = await authorize(this.#deps.store, actor, 'manage-members');
    return this.#deps.store.teamGroups.list(teamId);
  }

  /** Lets a group in, or changes what its people are. */
  async setGroup(actor: Actor, input: { group: string; role: string }): Promise<Done | Refused> {
    const { teamId } = await authorize(this.#deps.store, actor, 'manage-members');
    return setGroup(this.#deps, { teamId, doer: actor }, input);
  }

  /** Lets a group in no longer: who came by it leaves. */
  async removeGroup(actor: Actor, group: string): Promise<Done | NotFound | Refused> {
    const { teamId } = await authorize(this.#deps.store, actor, 'manage-members');
    return removeGroup(this.#deps, { teamId, doer: actor }, group);
  }
}

type Parts = Pick<Deps, 'store' | 'clock' | 'activity'>;
type Where = { teamId: string; doer: Doer };

export async function setGroup(
  { store, clock, activity }: Parts,
  { teamId, doer }: Where,
  { group, role }: { group: string; role: string },
): Promise<Done | Refused> {
  const name = readGroup(group);
  if (name === null) {
    return refuse('group', `Enter the group's name, in up to ${LONGEST_GROUP} characters.`);
  }
  if (!isInvitedRole(role)) return refuse('role', 'Choose admin, member or viewer.');
  const kind = await store.teamGroups.set(teamId, { name, role }, clock.now());
  if (kind === 'too-many') {
    return refuse('group', `A team lets in at most ${MOST_GROUPS_OF_TEAM} groups.`);
  }
  if (kind === 'last-lead') return refuse('role', LAST_LEAD);
  await activity.ofTeam(teamId, doer, { action: 'group.set', detail: `${name}, as ${role}` });
  return DONE;
}

export async function removeGroup(
  { store, activity }: Parts,
  { teamId, doer }: Where,
  group: string,
): Promise<Done | NotFound | Refused> {
  const outcome = await store.teamGroups.remove(teamId, group);
  if (outcome.kind === 'not-found') return NOT_FOUND;
  if (outcome.kind === 'last-lead') return refuse('group', LAST_LEAD);
  const { left } = outcome;
  const detail = left === 0 ? group : `${group}; ${left} left with it`;
  await activity.ofTeam(teamId, doer, { action: 'group.removed', detail });
  return DONE;
}
