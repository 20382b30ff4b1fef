import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { GroupChanged, Mapped } from '#store/people/group-memberships';
import type { Store } from '#store/store';
import type { PeopleConfig } from './config.ts';
import { findTeam } from './find-team.ts';
import type { PeopleActivity } from './people-activity.ts';

interface Deps {
  store: Store;
  clock: Clock;
  log: Log;
  activity: PeopleActivity;
  config: Pick<PeopleConfig, 'groupRoles'>;
}

/** Memberships that come from groups of the provider or proxy, as the operator's GROUP_ROLES says (§5.7). */
export class GroupMemberships {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * The teams that the groups lead to. A team that GROUP_ROLES names by no id and no unambiguous name counts as not
   * mapped.
   */
  async mappedTo(groups: readonly string[]): Promise<Mapped[]> {
    const roles = this.#deps.config.groupRoles.filter(({ group }) => groups.includes(group));
    const teams = await this.#findTeams(roles.map(({ team }) => team));
    return roles.flatMap(({ group, team, role }) => {
      const found = teams.get(team);
      return found?.kind === 'found' ? [{ teamId: found.team.id, group, role }] : [];
    });
  }

  /**
   * Makes a person's memberships what the groups say.
   *
   * @param groups  null if the provider or proxy should name them and did not: then there are none
   * @returns whether anything changed
   */
  async apply(userId: string, groups: readonly string[] | null): Promise<boolean> {
    const { store, clock, log } = this.#deps;
    const mapped = await this.mappedTo(groups ?? []);
    const changes = await store.groupMemberships.apply(userId, mapped, clock.now());
    for (const change of changes) await this.#record(userId, change);
    const left = changes.filter(({ kind }) => kind === 'left').length;
    if (groups === null && left > 0) log.warn('account.groups-not-told', { userId, left });
    return changes.length > 0;
  }

  /** Warns of teams in GROUP_ROLES that no team, or several, match. */
  async warnOfUnknownTeams(): Promise<void> {
    const { config, log } = this.#deps;
    const teams = await this.#findTeams(config.groupRoles.map(({ team }) => team));
    for (const [team, { kind }] of teams) {
      if (kind !== 'found') log.warn('group-roles.no-such-team', { team, reason: kind });
    }
  }

  async #findTeams(names: readonly string[]) {
    const distinct = [...new Set(names)];
    const found = await Promise.all(distinct.map((name) => findTeam(this.#deps.store, name)));
    return new Map(found.map((team, at) => [distinct[at], team]));
  }

  async #record(userId: string, change: GroupChanged): Promise<void> {
    const { kind, group, teamId } = change;
    const detail =
      kind === 'left' ? `by the group ${group}` : `${change.role}, by the group ${group}`;
    const action = `member.group-${kind}` as const;
    await this.#deps.activity.ofTeam(teamId, { userId }, { action, detail });
  }
}
