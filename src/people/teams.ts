import type { ActivityAction } from '#domain/activity';
import type { Clock } from '#domain/clock';
import { isId } from '#domain/ids';
import type { Member, TeamContents } from '#store/people/members';
import type { Store } from '#store/store';
import { type Actor, authorize, proveMember } from './actor.ts';
import type { PeopleConfig } from './config.ts';
import { gatherErrors, normalizeName } from './fields.ts';
import { checkChosenTeamName } from './groups.ts';
import { type Done, DONE, NOT_FOUND, type NotFound, refuse, type Refused } from './outcomes.ts';
import type { Plans } from './plans.ts';
import { type InvitedRole, isInvitedRole, type Permission } from './roles.ts';
import type { PeopleActivity } from './people-activity.ts';

interface Deps {
  store: Store;
  clock: Clock;
  plans: Plans;
  config: Pick<PeopleConfig, 'maxTeamsPerUser' | 'groupRoles'>;
  activity: PeopleActivity;
}

/** Teams and their members (§5.8, §5.2). A call that the actor's role does not allow throws NotAllowed. */
export class Teams {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The user's membership as it is now; null where they are not in the team, or it is gone. */
  async proveMember(userId: string, teamId: string): Promise<Actor | null> {
    return proveMember(this.#deps.store, userId, teamId);
  }

  /** Makes a team. The user becomes its owner, and it becomes their current team. */
  async createTeam(
    userId: string,
    name: string,
  ): Promise<{ kind: 'created'; teamId: string } | Refused> {
    const { store, clock, plans, config } = this.#deps;
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

  async renameTeam(actor: Actor, name: string): Promise<Done | Refused> {
    const { teamId } = await this.#allow(actor, 'rename-team');
    const kept = normalizeName(name);
    const { store, config } = this.#deps;
    const team = await store.teams.find(teamId);
    if (team?.name === kept) return DONE;
    const refused = gatherErrors({ name: checkChosenTeamName(name, config.groupRoles) });
    if (refused) return refused;
    await store.teams.rename(teamId, kept);
    await this.#deps.activity.ofTeam(teamId, actor, { action: 'team.renamed', detail: kept });
    return DONE;
  }

  /** Changes the user's current team, also for the API, at once (§5.2). False where the user is not in that team. */
  async switchTeam(userId: string, teamId: string): Promise<boolean> {
    if (!isId(teamId)) return false;
    return this.#deps.store.users.switchTeam(userId, teamId, this.#deps.clock.now());
  }

  /** What is deleted together with the team; jobs are counted up to 10,001. */
  async describeTeamDeletion(actor: Actor): Promise<TeamContents> {
    const { teamId } = await this.#allow(actor, 'delete-team');
    return this.#deps.store.members.countContents(teamId);
  }

  /** Deletes a team. Its crons and jobs stop, and API calls of users who had it selected are answered 500 (§5.3). */
  async deleteTeam(actor: Actor, name: string): Promise<Done | Refused> {
    const { teamId } = await this.#allow(actor, 'delete-team');
    const { store, clock } = this.#deps;
    const team = await store.teams.find(teamId);
    if (team && normalizeName(name) !== team.name) {
      return refuse('name', "This is not the team's name.");
    }
    await store.members.deleteTeam(teamId, clock.now());
    return DONE;
  }

  async leaveTeam(actor: Actor): Promise<Done | { kind: 'is-owner' }> {
    const { teamId, userId, role } = await this.#allow(actor, 'look');
    if (role === 'owner') return { kind: 'is-owner' };
    const left = await this.#deps.store.members.remove(teamId, userId);
    if (!left) return { kind: 'is-owner' };
    await this.#deps.activity.ofTeam(teamId, actor, { action: 'member.left' });
    return DONE;
  }

  /** Makes another member the owner; the old owner becomes an admin. */
  async transferTeam(
    actor: Actor,
    toUserId: string,
  ): Promise<Done | NotFound | { kind: 'owns-enough' }> {
    const { teamId, userId } = await this.#allow(actor, 'transfer-team');
    if (!isId(toUserId)) return NOT_FOUND;
    const { store, config } = this.#deps;
    const parties = { ownerId: userId, toUserId, mostOwned: config.maxTeamsPerUser };
    const kind = await store.members.transfer(teamId, parties);
    if (kind !== 'moved') return { kind };
    await this.#tell(actor, 'team.transferred', toUserId);
    return DONE;
  }

  async listMembers(actor: Actor): Promise<Member[]> {
    const { teamId } = await this.#allow(actor, 'manage-members');
    return this.#deps.store.members.list(teamId);
  }

  /** The owner and the admins, for members who need one of them, and how many members there are in all. */
  async describeTeam(actor: Actor): Promise<{ leading: Member[]; memberCount: number }> {
    const { teamId } = await this.#allow(actor, 'look');
    const members = await this.#deps.store.members.list(teamId);
    const leading = members.filter(({ role }) => role === 'owner' || role === 'admin');
    return { leading, memberCount: members.length };
  }

  /**
   * Changes a member's role. Not found: the user is no member, or is the owner, who keeps that role until a transfer.
   */
  async changeRole(actor: Actor, userId: string, role: InvitedRole): Promise<Done | NotFound> {
    const { teamId } = await this.#allow(actor, 'manage-members');
    if (!isId(userId) || !isInvitedRole(role)) return NOT_FOUND;
    const changed = await this.#deps.store.members.changeRole(teamId, userId, role);
    if (!changed) return NOT_FOUND;
    await this.#tell(actor, 'member.role', userId, role);
    return DONE;
  }

  async removeMember(actor: Actor, userId: string): Promise<Done | NotFound> {
    const { teamId } = await this.#allow(actor, 'manage-members');
    if (!isId(userId)) return NOT_FOUND;
    if (!(await this.#deps.store.members.remove(teamId, userId))) return NOT_FOUND;
    await this.#tell(actor, 'member.removed', userId);
    return DONE;
  }

  /** Records what an actor did to another user. */
  async #tell(
    actor: Actor,
    action: ActivityAction,
    userId: string,
    detail?: string,
  ): Promise<void> {
    const { store, activity } = this.#deps;
    const name = (await store.users.find(userId))?.name ?? 'a deleted account';
    const subject = { id: userId, name };
    await activity.ofTeam(actor.teamId, actor, { action, subject, ...(detail && { detail }) });
  }

  #allow(actor: Actor, permission: Permission): Promise<Actor> {
    return authorize(this.#deps.store, actor, permission);
  }
}
