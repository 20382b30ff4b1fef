import type { Row } from '../tables/tables.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { Role } from '../tables/accounts.ts';
import { dropOneTimeTokens, endAccess } from './one-time-tokens.ts';
import { all, change, count, one, type Reading, remove } from '../database/rows.ts';
import { readPassword } from './passwords.ts';
import { toRecord } from '../database/records.ts';
import type { Context } from '../database/context.ts';

export interface User {
  id: string;
  name: string;
  email: string;
  hasSecondFactor: boolean;
  isEmailVerified: boolean;
  currentTeamId: string | null;
}

export interface TeamOfUser {
  id: string;
  name: string;
  role: Role;
}

type UserRow = Pick<Row<'users'>, (typeof USER_COLUMNS)[number]>;
const USER_COLUMNS = [
  'id',
  'name',
  'email',
  'email_verified',
  'two_factor_enabled',
  'current_team_id',
] as const;

function userOf(row: UserRow): User {
  return {
    ...toRecord(row, ['id', 'name', 'email', 'current_team_id']),
    hasSecondFactor: row.two_factor_enabled === 1,
    isEmailVerified: row.email_verified === 1,
  };
}

export interface UserWithTeams {
  user: User;
  /** Sorted by name. */
  teams: TeamOfUser[];
}

export interface UserAndTeam extends UserRow {
  teamId: string | null;
  teamName: string | null;
  role: Role | null;
}

/** Parts of a statement of users `u`: a row for each team of a user, or one without a team. */
export const WITH_TEAMS = {
  columns: sql.raw(`${USER_COLUMNS.map((column) => `u.${column}`).join(', ')},
    t.id as "teamId", t.name as "teamName", m.role`),
  joins: sql.raw(`left join memberships m on m.user_id = u.id
    left join teams t on t.id = m.team_id and t.deleted_at is null`),
  order: sql.raw('order by t.name, t.id'),
};

export function gatherUser(rows: readonly UserAndTeam[]): UserWithTeams | null {
  const [first] = rows;
  if (!first) return null;
  const teams = rows.flatMap(({ teamId: id, teamName: name, role }) =>
    id === null || name === null || role === null ? [] : [{ id, name, role }],
  );
  return { user: userOf(first), teams };
}

/** @param lock of teams `t` */
async function listTeams(
  db: Reading,
  userId: string,
  condition: Sql,
  lock = '',
): Promise<TeamOfUser[]> {
  return db.ask(sql<TeamOfUser>`
    select t.id, t.name, m.role from memberships m join teams t on t.id = m.team_id
    where m.user_id = ${userId} and t.deleted_at is null and ${condition}
    order by t.name ${sql.raw(db.dialect.lock(lock))}`);
}

/** By name. */
export function listOwned(db: Reading, userId: string, lock?: string): Promise<TeamOfUser[]> {
  return listTeams(db, userId, sql`m.role = 'owner'`, lock);
}

/** Null if they aren't in it, or it was deleted. */
export async function findRole(db: Reading, teamId: string, userId: string): Promise<Role | null> {
  const [team] = await listTeams(db, userId, sql`m.team_id = ${teamId}`);
  return team?.role ?? null;
}

export const users = {
  async list({ main }: Context): Promise<User[]> {
    const rows = await all(main, 'users', {}, { columns: USER_COLUMNS, order: ['email'] });
    return rows.map(userOf);
  },

  /** @param email  in lower case */
  async findByEmail({ main }: Context, email: string): Promise<User | null> {
    const row = await one(main, 'users', { email }, USER_COLUMNS);
    return row ? userOf(row) : null;
  },

  async find({ main }: Context, userId: string): Promise<User | null> {
    const row = await one(main, 'users', { id: userId }, USER_COLUMNS);
    return row ? userOf(row) : null;
  },

  async findWithTeams({ main }: Context, userId: string): Promise<UserWithTeams | null> {
    const { columns, joins, order } = WITH_TEAMS;
    const rows = await main.ask(sql<UserAndTeam>`
      select ${columns} from users u ${joins} where u.id = ${userId} ${order}`);
    return gatherUser(rows);
  },

  async readPasswordHash({ main }: Context, userId: string): Promise<string | null> {
    return readPassword(main, userId);
  },

  async changeName({ main }: Context, userId: string, name: string, now: number): Promise<void> {
    await change(main, 'users', { id: userId }, { name, updated_at: now });
  },

  /** Links mailed to the old address stop working. False if another account has the new one. */
  async changeEmail(
    { main }: Context,
    userId: string,
    { email, isVerified }: { email: string; isVerified: boolean },
    now: number,
  ): Promise<boolean> {
    return main.transact(async (trx) => {
      const holder = await one(trx, 'users', { email }, ['id']);
      if (holder && holder.id !== userId) return false;
      const email_verified = isVerified ? 1 : 0;
      await change(trx, 'users', { id: userId }, { email, email_verified, updated_at: now });
      await dropOneTimeTokens(trx, userId);
      return true;
    });
  },

  /** False if the user isn't in that team, or it was deleted. */
  async switchTeam(
    { main }: Context,
    userId: string,
    teamId: string,
    now: number,
  ): Promise<boolean> {
    return main.transact(async (trx) => {
      if ((await findRole(trx, teamId, userId)) === null) return false;
      const values = { current_team_id: teamId, updated_at: now };
      return (await change(trx, 'users', { id: userId }, values)) > 0;
    });
  },

  /** Also every other way in. */
  async endAccess(
    { main }: Context,
    userId: string,
    what: { revokesToken: boolean },
  ): Promise<void> {
    await main.transact((trx) => endAccess(trx, userId, what));
  },

  /** Also deletes teams without other members. @returns owned teams with other members, which prevent it */
  async delete({ main }: Context, userId: string, now: number): Promise<TeamOfUser[]> {
    return main.transact(async (trx) => {
      const owned = await listOwned(trx, userId, 'for update of t');
      const inTheWay: TeamOfUser[] = [];
      for (const team of owned)
        if ((await count(trx, 'memberships', { team_id: team.id }, 2)) > 1) inTheWay.push(team);
      if (inTheWay.length > 0) return inTheWay;
      for (const { id } of owned) await change(trx, 'teams', { id }, { deleted_at: now });
      await remove(trx, 'users', { id: userId });
      return [];
    });
  },
};
