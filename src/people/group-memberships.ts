import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { GroupChanged } from '#store/people/team-groups';
import type { Store } from '#store/store';
import type { PeopleActivity } from './people-activity.ts';
import { hashToken } from './secrets.ts';

interface Deps {
  store: Store;
  clock: Clock;
  log: Log;
  activity: PeopleActivity;
}

/** For how long what a session's groups came to is taken to hold: until then no other mapping is looked for. */
const HOLDS_MS = 5 * 60_000;

/** Keeps the memberships that come from groups of the provider or proxy as these say (§5.7). */
export class GroupMemberships {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Makes memberships what the groups say.
   *
   * @param groups  null where the provider was to say them and did not: then there are none
   * @returns whether anything changed
   */
  async apply(userId: string, groups: readonly string[] | null): Promise<boolean> {
    const { store, clock, log } = this.#deps;
    const changes = await store.teamGroups.apply(userId, groups ?? [], clock.now());
    for (const change of changes) await this.#tell(userId, change);
    const left = changes.filter(({ kind }) => kind === 'left').length;
    if (groups === null && left > 0) log.warn('account.groups-not-told', { userId, left });
    return changes.length > 0;
  }

  /** What a session keeps, to tell whether its groups have changed since. */
  remember(groups: readonly string[]): { digest: string; at: number } {
    return { digest: hashToken(JSON.stringify(groups)), at: this.#deps.clock.now() };
  }

  isKnown(groups: readonly string[], known: { digest: string; at: number } | null): boolean {
    const { digest, at } = this.remember(groups);
    // A time that has not come yet is of a clock that was set back since, or of another node's.
    return known !== null && known.digest === digest && Math.abs(at - known.at) < HOLDS_MS;
  }

  async #tell(userId: string, change: GroupChanged): Promise<void> {
    const { kind, group, teamId } = change;
    const detail =
      kind === 'left' ? `by the group ${group}` : `${change.role}, by the group ${group}`;
    const action = `member.group-${kind}` as const;
    await this.#deps.activity.ofTeam(teamId, { userId }, { action, detail });
  }
}
