import { sql } from 'kysely';
import type { InvitedRole } from '../database/accounts-schema.ts';
import type { Database, Reader, Trx } from '../database/database.ts';
import { planMemberships, type GroupChange, type Mapped, type Present } from './group-plan.ts';
import { keepRole, roleIn } from './kept-roles.ts';
import { leave, revokeInvitationsBy } from './members.ts';

export const MOST_GROUPS_OF_TEAM = 100;

/** A group of the provider or proxy, and what its people are in the team. */
export interface TeamGroup {
  name: string;
  role: InvitedRole;
  createdAt: number;
  /** How many members came by it. */
  members: number;
}

/** What was changed of a person's membership, by which group. */
export type GroupChanged = GroupChange & { teamId: string };

/**
 * Groups of the operator's provider or proxy that teams let in, and the memberships that come from them. What somebody
 * was made by hand is never touched, and no team loses its last owner or admin.
 */
export class TeamGroupStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** By name. */
  async list(teamId: string): Promise<TeamGroup[]> {
    const rows = await this.#db.read((db) =>
      db
        .selectFrom('team_groups as g')
        .select((eb) => [
          'g.name',
          'g.role',
          'g.created_at as createdAt',
          eb
            .selectFrom('memberships as m')
            .select((c) => c.fn.countAll<number | string>().as('n'))
            .whereRef('m.team_id', '=', 'g.team_id')
            .whereRef('m.group_name', '=', 'g.name')
            .as('members'),
        ])
        .where('g.team_id', '=', teamId)
        .orderBy('g.name')
        .execute(),
    );
    return rows.map((row) => Object.assign(row, { members: Number(row.members) }));
  }

  /** Whether a team lets one of these groups in. */
  async letsIn(groups: readonly string[]): Promise<boolean> {
    return (await this.#db.read((db) => mappedTo(db, groups))).length > 0;
  }

  /** Lets a group in, or changes what its people are, those who came by it already among them. */
  async set(
    teamId: string,
    { name, role }: { name: string; role: InvitedRole },
    now: number,
  ): Promise<'set' | 'too-many' | 'last-lead'> {
    return this.#db.transact(async (trx) => {
      await this.#hold(trx, [teamId]);
      const names = await trx
        .selectFrom('team_groups')
        .select('name')
        .where('team_id', '=', teamId)
        .execute();
      const isNew = !names.some((each) => each.name === name);
      if (isNew && names.length >= MOST_GROUPS_OF_TEAM) return 'too-many';
      const members = await membersBy(trx, teamId, name);
      if (role !== 'admin' && (await areAllLeads(trx, teamId, members))) return 'last-lead';
      await trx
        .insertInto('team_groups')
        .values({ team_id: teamId, name, role, created_at: now })
        .onConflict((oc) => oc.columns(['team_id', 'name']).doUpdateSet({ role }))
        .execute();
      await trx
        .updateTable('memberships')
        .set(keepRole(role))
        .where('team_id', '=', teamId)
        .where('group_name', '=', name)
        .where('role', '<>', 'owner')
        .execute();
      if (role !== 'admin')
        for (const userId of members) await revokeInvitationsBy(trx, teamId, userId);
      return 'set';
    });
  }

  /** Lets a group in no longer. Who came by it leaves, at once. */
  async remove(
    teamId: string,
    name: string,
  ): Promise<{ kind: 'removed'; left: number } | { kind: 'not-found' } | { kind: 'last-lead' }> {
    return this.#db.transact(async (trx) => {
      await this.#hold(trx, [teamId]);
      const members = await membersBy(trx, teamId, name);
      if (await areAllLeads(trx, teamId, members)) return { kind: 'last-lead' };
      const { numDeletedRows } = await trx
        .deleteFrom('team_groups')
        .where('team_id', '=', teamId)
        .where('name', '=', name)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return { kind: 'not-found' };
      for (const userId of members) await leave(trx, teamId, userId);
      return { kind: 'removed', left: members.length };
    });
  }

  /**
   * Makes, changes and ends the memberships of a person that come from groups.
   *
   * @param groups  all that they are in now
   */
  async apply(userId: string, groups: readonly string[], now: number): Promise<GroupChanged[]> {
    return this.#db.transact(async (trx) => {
      // Two sign-ins of one person take turns.
      const held = sql.raw(this.#db.dialect.lock('for update'));
      const user = await trx
        .selectFrom('users')
        .select('current_team_id')
        .where('id', '=', userId)
        .modifyEnd(held)
        .executeTakeFirst();
      if (!user) return [];
      const plan = async () =>
        planMemberships(await presentOf(trx, userId), await mappedTo(trx, groups));
      const teamIds = (await plan()).map(({ teamId }) => teamId);
      await this.#hold(trx, teamIds);
      const done: GroupChanged[] = [];
      // Planned anew: a group may have been let in no longer before the team was held.
      for (const change of teamIds.length === 0 ? [] : await plan()) {
        const isHeld = teamIds.includes(change.teamId);
        if (isHeld && (await carryOut(trx, userId, change, now))) done.push(change);
      }
      await chooseTeam(trx, userId, now);
      return done;
    });
  }

  /** Changes of a team's groups, and of the memberships that come from them, take turns. */
  async #hold(trx: Trx, teamIds: readonly string[]): Promise<void> {
    if (teamIds.length === 0) return;
    await trx
      .selectFrom('teams')
      .select('id')
      .where('id', 'in', teamIds)
      .orderBy('id')
      .modifyEnd(sql.raw(this.#db.dialect.lock('for no key update')))
      .execute();
  }
}

/** The teams that let one of these groups in, a row for each group. */
export async function mappedTo(
  db: Pick<Reader, 'selectFrom'>,
  groups: readonly string[],
): Promise<Mapped[]> {
  if (groups.length === 0) return [];
  return db
    .selectFrom('team_groups as g')
    .innerJoin('teams as t', 't.id', 'g.team_id')
    .select(['g.team_id as teamId', 'g.name as group', 'g.role'])
    .where('g.name', 'in', groups)
    .where('t.deleted_at', 'is', null)
    .orderBy('g.team_id')
    .orderBy('g.name')
    .execute();
}

async function presentOf(trx: Trx, userId: string): Promise<Present[]> {
  return trx
    .selectFrom('memberships as m')
    .select(['m.team_id as teamId', roleIn('m').as('role'), 'm.group_name as group'])
    .where('m.user_id', '=', userId)
    .execute();
}

async function carryOut(
  trx: Trx,
  userId: string,
  change: GroupChanged,
  now: number,
): Promise<boolean> {
  const { teamId, kind, was } = change;
  const isLead = was === 'admin' && !(kind === 'role' && change.role === 'admin');
  if (isLead && (await areAllLeads(trx, teamId, [userId]))) return false;
  if (kind === 'left') return leave(trx, teamId, userId);
  const columns = { ...keepRole(change.role), group_name: change.group };
  if (kind === 'joined') {
    await trx
      .insertInto('memberships')
      .values({ team_id: teamId, user_id: userId, ...columns, created_at: now })
      .onConflict((oc) => oc.columns(['team_id', 'user_id']).doNothing())
      .execute();
    return true;
  }
  await trx
    .updateTable('memberships')
    .set(columns)
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('group_name', 'is not', null)
    .execute();
  if (change.role !== 'admin') await revokeInvitationsBy(trx, teamId, userId);
  // By another group in the same role: nothing that anybody would see.
  return change.role !== was;
}

/** An owner is none of them: nodes of the version before leave the group where they make somebody the owner. */
async function membersBy(trx: Trx, teamId: string, group: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('memberships')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where('group_name', '=', group)
    .where('role', '<>', 'owner')
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Whether these are all who lead the team: its owner and its admins. */
async function areAllLeads(trx: Trx, teamId: string, userIds: readonly string[]) {
  const rows = await trx
    .selectFrom('memberships')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where('role', 'in', ['owner', 'admin'])
    .execute();
  return rows.length > 0 && rows.every(({ user_id }) => userIds.includes(user_id));
}

/** Who is in no team that is their current one gets one that they are in. */
async function chooseTeam(trx: Trx, userId: string, now: number): Promise<void> {
  const user = await trx
    .selectFrom('users')
    .select('current_team_id')
    .where('id', '=', userId)
    .executeTakeFirst();
  const teams = await trx
    .selectFrom('memberships as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .select('t.id')
    .where('m.user_id', '=', userId)
    .where('t.deleted_at', 'is', null)
    .orderBy('t.name')
    .orderBy('t.id')
    .execute();
  const [first] = teams;
  if (!first || teams.some(({ id }) => id === user?.current_team_id)) return;
  await trx
    .updateTable('users')
    .set({ current_team_id: first.id, updated_at: now })
    .where('id', '=', userId)
    .execute();
}
